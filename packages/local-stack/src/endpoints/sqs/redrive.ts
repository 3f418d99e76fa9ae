import type { Clock } from '@usher/limiter-core';
import { queueArn } from '../arn.ts';
import type { Database } from '../database.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';

/** Moves what has been received often enough to the dead-letter queue; answers that queue's name if any was moved. */
export type Redrive = (queue: Queue) => string | undefined;

/**
 * SQS moves a message when it would be handed out once more than `maxReceiveCount` times; so this runs before each
 * receive. A moved message keeps its id, body, group and receive count, and comes last in the dead-letter queue. Its age
 * goes on counting on a standard queue and starts anew on a FIFO queue ("How dead-letter queues affect message
 * retention", SQS Developer Guide). Where the dead-letter queue is gone, nothing moves and nothing is lost.
 */
export function createRedrive(database: Database, queues: SqsQueueStore, clock: Clock): Redrive {
  const { sql } = database;
  const exhausted = 'queue = :queue AND receive_count > 0 AND receive_count >= :max AND visible_at <= :now';
  const copy = sql.prepare(`
    INSERT INTO messages (queue, message_id, body, attributes, group_id, deduplication_id, sent_at, visible_at,
      receive_count, first_received_at, source_arn)
    SELECT :target, message_id, body, attributes, group_id, deduplication_id, iif(:fifo, :now, sent_at), :now,
      receive_count, first_received_at, :sourceArn
    FROM messages WHERE ${exhausted} ORDER BY id`);
  const remove = sql.prepare(`DELETE FROM messages WHERE ${exhausted}`);

  return (queue) => {
    const { redrive } = queue.settings;
    if (!redrive || !queues.get(redrive.deadLetterQueue)) return undefined;
    const which = { queue: queue.name, max: redrive.maxReceiveCount, now: clock() };
    const { changes } = copy.run({
      ...which,
      target: redrive.deadLetterQueue,
      fifo: queue.fifo ? 1 : 0,
      sourceArn: queueArn(queue.name),
    });
    if (changes === 0) return undefined;
    remove.run(which);
    return redrive.deadLetterQueue;
  };
}
