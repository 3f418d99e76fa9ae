import { type } from 'arktype';
import { Addresses } from '../faults/worker-order.ts';

/** The addresses of a stack's endpoints; each start of the stack gives others. */
export type StackAddresses = typeof Addresses.infer;
export const readAddresses = type('string.json.parse').to(Addresses);

/** The argument of the endpoints' process. */
export const readEndpointsOrder = type('string.json.parse').to({
  dataDir: 'string > 0',
  policies: 'object',
  seed: 'number.integer',
  /** True where files have a largest size, and the queues' file is to reach it first. */
  diskFills: 'boolean',
});

/** A fault of one service: for `ms`, its endpoint refuses, stalls or cuts calls at a rate from 0 to 1. */
export const CallFault = type({
  service: "'dynamodb' | 'sqs' | 'eventbridge'",
  kind: "'refuse' | 'stall' | 'cut'",
  rate: '0 < number <= 1',
  ms: 'number.integer > 0',
});
export type CallFault = typeof CallFault.infer;
export const readCallFault = type('string.json.parse').to(CallFault);

/** A fault's hit: the endpoints' name for a call that it met. */
export const Hit = type(
  "'calls refused' | 'calls stalled' | 'requests cut' | 'replies cut' | 'replies of UpdateItem cut' | 'writes refused by the disk'",
);
export type Hit = typeof Hit.infer;
export const readHit = type('string.json.parse').to({ hit: Hit });

/** A worker's line for each batch: its messages, those handed out before, and the most deliveries of one of them. */
const BatchReport = type({
  messages: 'number.integer',
  redelivered: 'number.integer',
  mostDeliveries: 'number.integer',
});
export type BatchReport = typeof BatchReport.infer;
export const readBatchReport = type('string.json.parse').to(BatchReport);
