export { maxBatchBytes, maxBatchEntries, type OutgoingMessage, type SendAllOptions, sendAll } from './send-all.ts';
