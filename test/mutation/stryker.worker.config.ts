import { optionsFor } from './options.ts';

/** What a batch goes through, from the records to the answer. */
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
