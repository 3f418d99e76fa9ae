import type { Clock } from '@usher/limiter-core';
import { type } from 'arktype';
import type { Database } from '../database.ts';
import { invalidParameter, sqsError } from './errors.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';
import { expiredHandle, readReceiptHandle } from './receipt-handle.ts';
import { createReceive } from './receive.ts';
import { createSend } from './send.ts';

const Delivery = type({ receive_count: 'number', in_flight: '0 | 1', visible_at: 'number' });
const Earliest = type({ earliest: 'number | null' });

export type SqsMessageStore = ReturnType<typeof createMessageStore>;

/** The messages of all queues. Every method is one transaction. */
export function createMessageStore(database: Database, queues: SqsQueueStore, clock: Clock) {
  const { sql } = database;
  const find = sql.prepare('SELECT receive_count, in_flight, visible_at FROM messages WHERE id = ? AND queue = ?');
  const remove = sql.prepare('DELETE FROM messages WHERE id = ?');
  const hide = sql.prepare('UPDATE messages SET visible_at = ?, in_flight = ? WHERE id = ?');
  const purge = sql.prepare('DELETE FROM messages WHERE queue = ?');
  const earliest = sql.prepare('SELECT min(visible_at) AS earliest FROM messages WHERE queue = ? AND visible_at > ?');
  const release = sql.prepare('UPDATE messages SET in_flight = 0, visible_at = min(visible_at, ?) WHERE in_flight = 1');

  /** The state of a handle's message: gone, handed out again since (stale), visible again, or in flight under it. */
  function stateOf(queue: Queue, handle: string): { id: number; state: 'gone' | 'stale' | 'visible' | 'in flight' } {
    const { id, receiveCount } = readReceiptHandle(queue.name, handle);
    const row = find.get(id, queue.name);
    if (!row) return { id, state: 'gone' };
    const delivery = Delivery.assert(row);
    if (delivery.receive_count !== receiveCount) return { id, state: 'stale' };
    return { id, state: delivery.in_flight === 1 && delivery.visible_at > clock() ? 'in flight' : 'visible' };
  }

  return {
    send: createSend(database, clock),
    receive: createReceive(database, queues, clock),

    /**
     * Deletes the message a handle stands for. A repeat succeeds. After the visibility timeout a FIFO queue refuses the
     * handle as expired, since the group may have moved on; a standard queue takes it as long as the message has not
     * been handed out again, and from then on answers success and keeps the message, as SQS may.
     */
    delete: (queue: Queue, handle: string): void =>
      database.transaction(() => {
        const { id, state } = stateOf(queue, handle);
        if (state === 'gone') return;
        if (queue.fifo && state !== 'in flight') throw expiredHandle(handle);
        if (state !== 'stale') remove.run(id);
      }),

    /** Sets when the message becomes visible, from now. 0 makes it visible at once; its receive count stays. */
    changeVisibility: (queue: Queue, handle: string, timeoutSeconds: number): void =>
      database.transaction(() => {
        const { id, state } = stateOf(queue, handle);
        if (state === 'in flight') {
          hide.run(clock() + timeoutSeconds * 1000, timeoutSeconds === 0 ? 0 : 1, id);
          return;
        }
        if (state === 'gone' || state === 'stale') {
          throw queue.fifo && state === 'stale'
            ? expiredHandle(handle)
            : invalidParameter(
                'ReceiptHandle',
                handle,
                'Message does not exist or is not available for visibility timeout change.',
              );
        }
        throw queue.fifo ? expiredHandle(handle) : sqsError('MessageNotInflight', 'The message is not in flight.');
      }),

    /** Deletes the queue's messages. What deduplication remembers stays, as in SQS. */
    purge: (queue: Queue): void => void purge.run(queue.name),

    /** The instant at which the next hidden message becomes visible; undefined where none is hidden. */
    nextVisibleAtMs: (queue: Queue): number | undefined =>
      Earliest.assert(earliest.get(queue.name, clock())).earliest ?? undefined,

    /**
     * Makes visible what a former run had in flight: whoever received it died with that run or lost its connection,
     * and waiting for the visibility timeout (minutes) would only stall the groups. Receive counts stay. On AWS the
     * queue outlives its consumers, so nothing there corresponds to it.
     */
    releaseInFlight: (): void => void release.run(clock()),
  };
}
