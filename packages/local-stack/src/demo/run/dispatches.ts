import { Dispatch } from '@usher/contracts';
import type { VirtualClock } from '@usher/limiter-core';
import { type } from 'arktype';
import type { Stack } from '../../stack.ts';
import { drain, worked } from './drain.ts';
import type { Patience } from './patience.ts';

/** A dispatch message as the booking system would see it. */
export interface ReceivedDispatch extends Dispatch {
  /** The instant at which it was handed out, by the stack's clock. */
  readonly receivedAtMs: number;
}

const parseDispatch = type('string.json.parse').to(Dispatch);
/** The clock moves by this much at once, and this often without a message before the rest is given up. */
const stepMs = 60_000;
const patienceSteps = 60;
/** The longest that SQS can delay a message. */
const lastLookMs = 900_000;

export interface DispatchOptions {
  /** The number of granted rows to come. */
  readonly rows: number;
  readonly clock: ShiftedClock;
  readonly patience: Patience;
  /** Told of rows as they come. */
  readonly onReceived: (rows: number) => void;
}

/**
 * Receives every dispatch, once per id, moving the stack's clock forward over the time that they wait: delays and
 * pacing hops run as they would in that time.
 */
export async function receiveDispatches(
  { clients: { sqs }, queues, endpoints }: Stack,
  { rows, clock, patience, onReceived }: DispatchOptions,
): Promise<ReceivedDispatch[]> {
  const byId = new Map<string, ReceivedDispatch>();
  let received = 0;
  const take = (body: string): void => {
    const dispatch = parseDispatch.assert(body);
    if (byId.has(dispatch.dispatchId)) return;
    byId.set(dispatch.dispatchId, { ...dispatch, receivedAtMs: clock() });
    received += dispatch.reservations.length;
    onReceived(dispatch.reservations.length);
  };
  await drain(sqs, queues.dispatch, take, patience.signal);
  for (let idle = 0; received < rows && idle < patienceSteps; idle++) {
    const before = received;
    clock.advance(stepMs);
    endpoints.wake();
    await patience.pause(1);
    await worked(sqs, queues.pacing, patience);
    await drain(sqs, queues.dispatch, take, patience.signal);
    if (received > before) idle = 0;
  }
  // One long look more: whatever is handed on beyond the rows expected is to be found.
  clock.advance(lastLookMs);
  endpoints.wake();
  await worked(sqs, queues.pacing, patience);
  await drain(sqs, queues.dispatch, take, patience.signal);
  return [...byId.values()];
}

/** The machine's clock, moved forward. */
export type ShiftedClock = Pick<VirtualClock, 'advance'> & (() => number);
