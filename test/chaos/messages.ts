import { type } from 'arktype';
import { Addresses } from '../faults/worker-order.ts';

/** Where the endpoints of a stack are; they are others after each of its starts. */
export type StackAddresses = typeof Addresses.infer;
export const readAddresses = type('string.json.parse').to(Addresses);

/** What the process of the endpoints is started with. */
export const readEndpointsOrder = type('string.json.parse').to({
  dataDir: 'string > 0',
  policies: 'object',
  seed: 'number.integer',
  /** There is a limit on the size of files, and the queue file is to reach it. */
  diskFills: 'boolean',
});

/** What the endpoints of one service are to do, for so long, with so great a share of their calls. */
export const Trouble = type({
  service: "'dynamodb' | 'sqs' | 'eventbridge'",
  does: "'refuse' | 'stall' | 'cut'",
  share: '0 < number <= 1',
  ms: 'number.integer > 0',
});
export type Trouble = typeof Trouble.infer;
export const readTrouble = type('string.json.parse').to(Trouble);

/** What the endpoints did to a call. */
export const Deed = type(
  "'calls refused' | 'calls stalled' | 'requests cut' | 'replies cut' | 'replies of UpdateItem cut' | 'writes refused by the disk'",
);
export type Deed = typeof Deed.infer;
export const readDeed = type('string.json.parse').to({ deed: Deed });

/** What a worker says of each batch: its messages, how many of them had been handed out before, and how often at most. */
const BatchReport = type({ messages: 'number.integer', again: 'number.integer', most: 'number.integer' });
export type BatchReport = typeof BatchReport.infer;
export const readBatchReport = type('string.json.parse').to(BatchReport);
