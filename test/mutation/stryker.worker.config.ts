import { optionsFor } from './options.ts';

/** The files that a batch passes, from its records to its answer. */
export default optionsFor('worker', [
  'invocation',
  'decode',
  'batch',
  'settle-records',
  'publish',
  'events',
  'eventbridge-events',
  'dispatch',
  'dispatch-slots',
  'send-handoffs',
  'sqs-dispatch',
  'release',
  'pace',
  'quarantine',
  'sqs-quarantine',
]);
