export {
  maxBatchBytes,
  maxBatchEntries,
  NotTakenError,
  type OutgoingMessage,
  type SendAllOptions,
  sendAll,
} from './send-all.ts';
