import { optionsFor } from './options.ts';

/** The files that a batch passes, from its records to its answer. */
export default optionsFor('worker', [
  'invocation',
  'decode',
  'settle-batch',
  'settle-chunks',
  'publish',
  'events',
  'eventbridge-events',
  'slots',
  'release-times',
  'hand-off',
  'send-hand-offs',
  'pace-batch',
  'quarantine',
  'sqs-quarantine',
]);
