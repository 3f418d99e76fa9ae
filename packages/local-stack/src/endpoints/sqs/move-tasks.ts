import { randomUUID } from 'node:crypto';
import type { Clock } from '@usher/limiter-core';
import { type } from 'arktype';
import { queueArn, queueNameOfArn } from '../arn.ts';
import type { Database } from '../database.ts';
import { sqsError } from './errors.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';

/** A task that moves the messages of a dead-letter queue to another queue, or each to the queue it came from. */
export interface MoveTask {
  readonly id: number;
  readonly source: string;
  readonly destination: string | null;
  readonly per_second: number | null;
  readonly started_at: number;
  readonly status: 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
  readonly moved: number;
  readonly to_move: number;
  readonly failure: string | null;
}

const MoveTaskRow = type({
  id: 'number',
  source: 'string',
  destination: 'string | null',
  per_second: 'number | null',
  started_at: 'number',
  status: "'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED'",
  moved: 'number',
  to_move: 'number',
  failure: 'string | null',
});
const MessageRow = type({ id: 'number', source_arn: 'string | null' });
const Waiting = type({ waiting: 'number' });

export type SqsMoveTasks = ReturnType<typeof createMoveTasks>;

/**
 * The tasks that redrive dead letters. A task takes what was receivable when it began, oldest first; a moved message is
 * a new one with its own id and time of sending ("Configure a dead-letter queue redrive", SQS Developer Guide). Tasks
 * are carried on whenever `advance` is called, also by the next run on the folder.
 */
export function createMoveTasks(database: Database, queues: SqsQueueStore, clock: Clock) {
  const { sql } = database;
  const insert = sql.prepare(`
    INSERT INTO move_tasks (source, destination, per_second, started_at, status, moved, to_move)
    VALUES (:source, :destination, :perSecond, :now, 'RUNNING', 0, :toMove)`);
  const ofQueue = sql.prepare('SELECT * FROM move_tasks WHERE source = ? ORDER BY id DESC LIMIT ?');
  const running = sql.prepare("SELECT * FROM move_tasks WHERE status = 'RUNNING' ORDER BY id");
  const update = sql.prepare('UPDATE move_tasks SET status = ?, moved = ?, failure = ? WHERE id = ?');
  const receivable = 'FROM messages WHERE queue = :queue AND visible_at <= :now AND sent_at > :kept';
  const count = sql.prepare(`SELECT count(*) AS waiting ${receivable}`);
  const next = sql.prepare(`SELECT id, source_arn ${receivable} ORDER BY id LIMIT :limit`);
  const copy = sql.prepare(`
    INSERT INTO messages (queue, message_id, body, attributes, group_id, deduplication_id, sent_at, visible_at)
    SELECT :target, :messageId, body, attributes, group_id, deduplication_id, :now, :visibleAt
    FROM messages WHERE id = :id`);
  const remove = sql.prepare('DELETE FROM messages WHERE id = ?');

  const present = (queue: Queue) => ({
    queue: queue.name,
    now: clock(),
    kept: clock() - queue.settings.retentionSeconds * 1000,
  });

  /** Moves what the task may by now; answers the queues that got something. */
  function carryOn(task: MoveTask): string[] {
    const source = queues.get(task.source);
    if (source === undefined) return fail(task, task.moved, 'AWS.SimpleQueueService.NonExistentQueue');
    const elapsedSeconds = Math.floor((clock() - task.started_at) / 1000) + 1;
    const allowed = task.per_second === null ? task.to_move : Math.min(task.to_move, task.per_second * elapsedSeconds);
    const due = Math.max(0, allowed - task.moved);
    const messages = next.all({ ...present(source), limit: due }).map((row) => MessageRow.assert(row));
    const targets: string[] = [];
    for (const { id, source_arn } of messages) {
      const name = task.destination ?? (source_arn === null ? undefined : queueNameOfArn(source_arn));
      if (name === undefined) return fail(task, task.moved + targets.length, 'CouldNotDetermineMessageSource', targets);
      const target = queues.get(name);
      if (target === undefined) {
        return fail(task, task.moved + targets.length, 'AWS.SimpleQueueService.NonExistentQueue', targets);
      }
      const nowMs = clock();
      const visibleAtMs = nowMs + target.settings.delaySeconds * 1000;
      copy.run({ target: name, messageId: randomUUID(), now: nowMs, visibleAt: visibleAtMs, id });
      remove.run(id);
      targets.push(name);
    }
    const moved = task.moved + messages.length;
    // Another consumer may have taken some of what was counted at first.
    const isDone = moved >= task.to_move || messages.length < due;
    update.run(isDone ? 'COMPLETED' : 'RUNNING', moved, null, task.id);
    return targets;
  }

  function fail(task: MoveTask, moved: number, failure: string, targets: string[] = []): string[] {
    update.run('FAILED', moved, failure, task.id);
    return targets;
  }

  return {
    /** Starts a task. @throws AwsError where one of the queue's runs already. */
    start: (of: { source: Queue; destination: string | undefined; perSecond: number | undefined }): MoveTask =>
      database.transaction(() => {
        const [latest] = ofQueue.all(of.source.name, 1).map((row) => MoveTaskRow.assert(row));
        if (latest?.status === 'RUNNING') {
          throw sqsError('UnsupportedOperation', 'A task for this source queue is running; only one may.');
        }
        const { source, destination, perSecond } = of;
        const toMove = Waiting.assert(count.get(present(source))).waiting;
        insert.run({
          source: source.name,
          destination: destination ?? null,
          perSecond: perSecond ?? null,
          now: clock(),
          toMove,
        });
        return MoveTaskRow.assert(ofQueue.get(source.name, 1));
      }),

    /** The latest tasks of a queue, newest first. */
    list: (source: Queue, max: number): MoveTask[] =>
      ofQueue.all(source.name, max).map((row) => MoveTaskRow.assert(row)),

    /** Ends a task that runs; what it has moved stays moved. */
    cancel: (task: MoveTask): void => void update.run('CANCELLED', task.moved, null, task.id),

    /** Moves what the running tasks may move by now; answers the queues that got something. */
    advance: (): string[] => {
      const tasks = running.all().map((row) => MoveTaskRow.assert(row));
      return tasks.length === 0 ? [] : database.transaction(() => tasks.flatMap(carryOn));
    },

    isDeadLetterQueue: (name: string): boolean =>
      queues.names().some((source) => queues.get(source)?.settings.redrive?.deadLetterQueue === name),
  };
}

/** A task as ListMessageMoveTasks tells it. */
export function describeMoveTask(task: MoveTask): object {
  return {
    ...(task.status === 'RUNNING' && { TaskHandle: handleOf(task) }),
    Status: task.status,
    SourceArn: queueArn(task.source),
    ...(task.destination !== null && { DestinationArn: queueArn(task.destination) }),
    ...(task.per_second !== null && { MaxNumberOfMessagesPerSecond: task.per_second }),
    ApproximateNumberOfMessagesMoved: task.moved,
    ApproximateNumberOfMessagesToMove: task.to_move,
    ...(task.failure !== null && { FailureReason: task.failure }),
    StartedTimestamp: task.started_at,
  };
}

const Handle = type('string.json.parse').to({ taskId: 'number', sourceArn: 'string' });

/** The handle by which a task is cancelled. */
export function handleOf(task: MoveTask): string {
  return Buffer.from(JSON.stringify({ taskId: task.id, sourceArn: queueArn(task.source) })).toString('base64');
}

/** The number and the source queue of a handle's task; undefined for what is no handle. */
export function readMoveTaskHandle(handle: string): { taskId: number; sourceArn: string } | undefined {
  const read = Handle(Buffer.from(handle, 'base64').toString('utf8'));
  return read instanceof type.errors ? undefined : read;
}
