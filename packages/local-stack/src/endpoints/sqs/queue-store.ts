import type { Clock } from '@usher/limiter-core';
import { type } from 'arktype';
import { queueArn } from '../arn.ts';
import type { Database } from '../database.ts';
import { type QueueAttributes, type QueueSettings, settingsOf, withDefaults } from './queue-attributes.ts';

export interface Queue {
  readonly name: string;
  readonly fifo: boolean;
  readonly attributes: QueueAttributes;
  readonly settings: QueueSettings;
  readonly createdAtMs: number;
  readonly modifiedAtMs: number;
}

const QueueRow = type({
  name: 'string',
  attributes: type('string.json.parse').to('Record<string, string>'),
  created_at: 'number',
  modified_at: 'number',
});

const Counts = type({ visible: 'number', in_flight: 'number', delayed: 'number' });

export type SqsQueueStore = ReturnType<typeof createQueueStore>;

/** The queues and their attributes. They are few and read at every call, so they are also held in memory. */
export function createQueueStore(database: Database, clock: Clock) {
  const { sql } = database;
  const queues = new Map<string, Queue>();
  for (const row of sql.prepare('SELECT name, attributes, created_at, modified_at FROM queues').all()) {
    const { name, attributes, created_at, modified_at } = QueueRow.assert(row);
    queues.set(name, toQueue(name, attributes, created_at, modified_at));
  }
  const put = sql.prepare(
    'INSERT OR REPLACE INTO queues (name, attributes, created_at, modified_at) VALUES (?, ?, ?, ?)',
  );
  const removals = ['queues WHERE name', 'messages WHERE queue', 'deduplications WHERE queue'].map((table) =>
    sql.prepare(`DELETE FROM ${table} = ?`),
  );
  // A FIFO queue's delay applies to what is already waiting, or a shorter one would let later messages overtake.
  const redelay = sql.prepare(
    'UPDATE messages SET visible_at = sent_at + ? WHERE queue = ? AND in_flight = 0 AND receive_count = 0',
  );
  const count = sql.prepare(`
    SELECT
      count(*) FILTER (WHERE visible_at <= :now) AS visible,
      count(*) FILTER (WHERE visible_at > :now AND in_flight = 1) AS in_flight,
      count(*) FILTER (WHERE visible_at > :now AND in_flight = 0) AS delayed
    FROM messages WHERE queue = :queue AND sent_at > :kept`);

  function store(queue: Queue): Queue {
    put.run(queue.name, JSON.stringify(queue.attributes), queue.createdAtMs, queue.modifiedAtMs);
    queues.set(queue.name, queue);
    return queue;
  }

  return {
    get: (name: string): Queue | undefined => queues.get(name),

    /** Names in alphabetical order. */
    names: (): string[] => [...queues.keys()].sort(),

    create: (name: string, attributes: QueueAttributes): Queue => store(toQueue(name, attributes, clock(), clock())),

    setAttributes: (queue: Queue, attributes: QueueAttributes): Queue =>
      database.transaction(() => {
        const merged = Object.entries({ ...queue.attributes, ...attributes }).filter(([, value]) => value !== '');
        const changed = toQueue(queue.name, Object.fromEntries(merged), queue.createdAtMs, clock());
        if (queue.fifo) redelay.run(changed.settings.delaySeconds * 1000, queue.name);
        return store(changed);
      }),

    /** Removes the queue with its messages and its deduplication memory. */
    delete: (queue: Queue): void =>
      database.transaction(() => {
        for (const removal of removals) removal.run(queue.name);
        queues.delete(queue.name);
      }),

    /** Every attribute GetQueueAttributes knows, the counts of this instant included. */
    describe: (queue: Queue): Record<string, string> => {
      const nowMs = clock();
      const kept = nowMs - queue.settings.retentionSeconds * 1000;
      const counts = Counts.assert(count.get({ now: nowMs, queue: queue.name, kept }));
      return {
        ...withDefaults(queue.attributes),
        QueueArn: queueArn(queue.name),
        CreatedTimestamp: String(Math.floor(queue.createdAtMs / 1000)),
        LastModifiedTimestamp: String(Math.floor(queue.modifiedAtMs / 1000)),
        ApproximateNumberOfMessages: String(counts.visible),
        ApproximateNumberOfMessagesNotVisible: String(counts.in_flight),
        ApproximateNumberOfMessagesDelayed: String(counts.delayed),
      };
    },
  };
}

function toQueue(name: string, attributes: QueueAttributes, createdAtMs: number, modifiedAtMs: number): Queue {
  return {
    name,
    fifo: name.endsWith('.fifo'),
    attributes,
    settings: settingsOf(attributes),
    createdAtMs,
    modifiedAtMs,
  };
}
