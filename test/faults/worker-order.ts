import type { Queues } from '@usher/local-stack';
import { type } from 'arktype';
import type { EndpointUrls } from '../support/process.ts';

/** The argument of a worker process. */
export interface WorkerOrder {
  readonly urls: EndpointUrls;
  readonly queues: Queues;
  /** The instant at which its clock stands. */
  readonly nowMs: number;
  /** The call at which it kills itself, if any. */
  readonly dies?: { readonly command: string; readonly nth: number; readonly when: 'before' | 'after' };
}

const queue = type({ url: 'string', arn: 'string' });
export const Addresses = type({
  urls: { dynamoDbUrl: 'string', sqsUrl: 'string', eventBridgeUrl: 'string' },
  queues: {
    bookings: queue,
    bookingsDead: queue,
    dispatch: queue,
    pacing: queue,
    pacingDead: queue,
    quarantine: queue,
    report: queue,
    reportDead: queue,
    events: queue,
  },
});
const Order = type('string.json.parse').to(
  type(Addresses, '&', {
    nowMs: 'number.integer',
    'dies?': { command: 'string', nth: 'number.integer >= 1', when: "'before' | 'after'" },
  }),
);

export function readWorkerOrder(argument: string | undefined): WorkerOrder {
  return Order.assert(argument);
}
