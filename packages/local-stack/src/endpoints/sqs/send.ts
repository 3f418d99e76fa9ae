import { randomUUID } from 'node:crypto';
import type { Clock } from '@usher/limiter-core';
import { type } from 'arktype';
import type { Database } from '../database.ts';
import type { MessageAttributes } from './message-attributes.ts';
import type { Queue } from './queue-store.ts';
import { sha256 } from './text.ts';

export interface NewMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  /** Absent: the queue's own delay. */
  readonly delaySeconds: number | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
}

interface SentMessage {
  readonly messageId: string;
  /** FIFO only: 20 digits, growing within the queue. */
  readonly sequenceNumber: string | undefined;
}

/** SQS remembers a deduplication id for this long. Source: "Using the message deduplication ID", SQS Developer Guide. */
const deduplicationWindowMs = 5 * 60 * 1000;

const Known = type({ message_id: 'string', sequence: 'number' });

export const toSequenceNumber = (id: number | bigint): string => String(id).padStart(20, '0');

export type Send = (queue: Queue, message: NewMessage) => SentMessage;

/**
 * Stores a message that has passed the checks. On a FIFO queue a deduplication id seen in the last five minutes answers
 * with the first message's ids and stores nothing, also when that message has been received and deleted since.
 */
export function createSend(database: Database, clock: Clock): Send {
  const { sql } = database;
  const insert = sql.prepare(`
    INSERT INTO messages (queue, message_id, body, attributes, group_id, deduplication_id, sent_at, visible_at)
    VALUES (:queue, :messageId, :body, :attributes, :groupId, :deduplicationId, :sentAt, :visibleAt)`);
  const forget = sql.prepare('DELETE FROM deduplications WHERE expires_at <= ?');
  const find = sql.prepare(
    'SELECT message_id, sequence FROM deduplications WHERE queue = ? AND scope = ? AND deduplication_id = ?',
  );
  const remember = sql.prepare('INSERT INTO deduplications VALUES (?, ?, ?, ?, ?, ?)');

  function store(queue: Queue, message: NewMessage, deduplicationId: string | null): { id: number; messageId: string } {
    const nowMs = clock();
    const messageId = randomUUID();
    const { lastInsertRowid } = insert.run({
      queue: queue.name,
      messageId,
      body: message.body,
      attributes: Object.keys(message.attributes).length > 0 ? JSON.stringify(message.attributes) : null,
      groupId: message.groupId ?? null,
      deduplicationId,
      sentAt: nowMs,
      visibleAt: nowMs + (message.delaySeconds ?? queue.settings.delaySeconds) * 1000,
    });
    return { id: Number(lastInsertRowid), messageId };
  }

  function sendOnce(queue: Queue, message: NewMessage): SentMessage {
    const nowMs = clock();
    const deduplicationId = message.deduplicationId ?? sha256(message.body);
    const scope = queue.settings.deduplicationPerGroup ? (message.groupId ?? '') : '';
    forget.run(nowMs);
    const row = find.get(queue.name, scope, deduplicationId);
    if (row) {
      const known = Known.assert(row);
      return { messageId: known.message_id, sequenceNumber: toSequenceNumber(known.sequence) };
    }
    const { id, messageId } = store(queue, message, deduplicationId);
    remember.run(queue.name, scope, deduplicationId, messageId, id, nowMs + deduplicationWindowMs);
    return { messageId, sequenceNumber: toSequenceNumber(id) };
  }

  return (queue, message) =>
    database.transaction(() =>
      queue.fifo
        ? sendOnce(queue, message)
        : { messageId: store(queue, message, null).messageId, sequenceNumber: undefined },
    );
}
