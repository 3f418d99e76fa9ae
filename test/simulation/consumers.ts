import { workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';
import type { Policy } from '@usher/limiter-core/bulk';
import type { Worker } from '@usher/worker';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { anyAccount } from './network.ts';
import { isReadable } from './policies.ts';
import type { Process } from './process.ts';
import type { Delivery, Queue } from './queue.ts';
import type { World } from './world.ts';

const timeoutMs = workerTimeoutSeconds * 1000;
const settleMs = 2000;

interface Consumer {
  readonly role: 'worker' | 'pacer';
  readonly queue: Queue;
  readonly handler: keyof Worker;
}

/** A process that consumes, kept warm between batches. */
interface Warm {
  readonly process: Process;
  readonly worker: Worker;
}

/** Starts what works the bookings queue and the pacing queue off, for as long as the world lasts. */
export function startConsumers(world: World): void {
  const worker: Consumer = { role: 'worker', queue: world.bookings, handler: 'settle' };
  const pacer: Consumer = { role: 'pacer', queue: world.pacing, handler: 'pace' };
  for (let i = 0; i < world.scenario.workers; i++) void consume(world, worker);
  void consume(world, pacer);
  void takeDispatches(world);
}

/** The booking system: takes what is handed to it as soon as it can be seen. */
async function takeDispatches({ dispatch, history, scheduler, scenario, faults, prng }: World): Promise<void> {
  for (;;) {
    const batch = dispatch.receive(workerBatchSize);
    for (const delivery of batch) {
      history.dispatched(delivery.message.body, scheduler.nowMs);
      if (!(faults.enabled && prng.chance(scenario.deleteLost))) dispatch.remove(delivery);
    }
    if (batch.length === 0) await dispatch.changed();
  }
}

/** One poller: receives, invokes, deletes what succeeded. A process that died is replaced. */
async function consume(world: World, consumer: Consumer): Promise<void> {
  const { prng, scheduler } = world;
  let warm: Warm | undefined;
  for (;;) {
    const batch = consumer.queue.receive(world.scenario.batchSize);
    if (batch.length === 0) {
      await consumer.queue.changed();
      continue;
    }
    if (!warm?.process.alive) warm = start(world, consumer);
    await invoke(world, consumer, warm, batch);
    // A platform also replaces healthy processes, now and then.
    if (world.faults.enabled && prng.chance(world.scenario.recycled)) warm = undefined;
    if (warm?.process.alive === false) await scheduler.sleep(prng.int(1, 5000));
  }
}

function start(world: World, { role }: Consumer): Warm {
  const process = world.startProcess(role);
  return { process, worker: world.createWorker(process) };
}

async function invoke(world: World, consumer: Consumer, warm: Warm, batch: readonly Delivery[]): Promise<void> {
  const { prng, scheduler, scenario, coverage, faults } = world;
  const { process } = warm;
  if (consumer.role === 'worker' && faults.enabled && prng.chance(scenario.twoWorkers)) {
    coverage.incident('two workers at once');
    scheduler.after(prng.int(0, settleMs), () => void run(world, consumer, start(world, consumer), batch));
  }
  const answer = await run(world, consumer, warm, batch);
  if (answer === undefined) return;
  const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const isReleasing = prng.chance(0.5);
  for (const delivery of batch) {
    if (failed.has(delivery.message.messageId)) {
      if (isReleasing) consumer.queue.release(delivery);
    } else if (faults.enabled && prng.chance(scenario.deleteLost)) {
      coverage.incident('delete lost');
    } else if (!consumer.queue.remove(delivery)) {
      coverage.incident('delete refused: visibility over');
    }
  }
  world.note(`${process.name} answered, ${failed.size} of ${batch.length} handed back`);
}

/** One invocation of the handler; undefined where its process died in it. */
async function run(
  world: World,
  { role, handler }: Consumer,
  { process, worker }: Warm,
  batch: readonly Delivery[],
): Promise<SQSBatchResponse | undefined> {
  const { scheduler, scenario, coverage, faults } = world;
  const records = recordsOf(world, role, batch);
  const deadlineMs = scheduler.nowMs + timeoutMs;
  process.faulted.clear();
  process.untold.clear();
  process.visibleAtMs = Math.min(...batch.map(({ message }) => message.visibleAtMs));
  world.note(`${process.name} receives ${records.map(({ messageId }) => messageId).join(' ')}`);
  let isRunning = true;
  if (scenario.killsAtDeadline) {
    scheduler.at(deadlineMs, () => {
      if (!isRunning || !process.alive || !faults.enabled) return;
      coverage.incident('killed at its deadline');
      process.kill();
    });
  }
  const event: SQSEvent = { Records: records };
  const working = worker[handler](event, { getRemainingTimeInMillis: () => deadlineMs - scheduler.nowMs });
  const answer = await Promise.race([
    working.catch((error: unknown) => ({ thrown: String(error) })),
    process.dead.then(() => undefined),
  ]);
  isRunning = false;
  process.visibleAtMs = Number.POSITIVE_INFINITY;
  if (answer === undefined || !process.alive) return undefined;
  if ('thrown' in answer) {
    world.violate(0, `the handler of ${process.name} threw: ${answer.thrown}`);
    return undefined;
  }
  if (role === 'worker') checkTails(world, process, records, answer);
  const isLate = scheduler.nowMs > deadlineMs - process.version.deadlineMarginMs;
  if (role === 'worker' && !isLate) checkNeighbours(world, process, batch, answer);
  return answer;
}

/** Promise 5, first half: of each account a batch hands back its first failed chunk and all later ones, or none. */
function checkTails(world: World, process: Process, records: readonly SQSRecord[], answer: SQSBatchResponse): void {
  const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const stopped = new Map<string, string>();
  // One that is in the batch twice goes with its last place.
  const places = new Map(records.map(({ messageId }, place) => [messageId, place]));
  for (const [place, { messageId, body, attributes }] of records.entries()) {
    const group = attributes.MessageGroupId ?? '';
    if (places.get(messageId) !== place) continue;
    if (world.history.chunkIdOf(body) === undefined) continue;
    if (failed.has(messageId)) stopped.set(group, messageId);
    else if (stopped.has(group)) {
      world.violate(5, `${process.name} handed ${stopped.get(group)} of ${group} back and not ${messageId} behind it`);
    }
  }
}

/** Promise 5, second half: a chunk is handed back only if a fault met its account. */
function checkNeighbours(world: World, process: Process, batch: readonly Delivery[], answer: SQSBatchResponse): void {
  if (process.faulted.has(anyAccount)) return;
  for (const { itemIdentifier } of answer.batchItemFailures) {
    const group = batch.find(({ message }) => message.messageId === itemIdentifier)?.message.groupId;
    if (group === undefined || process.faulted.has(group) || isUnreadable(process, group)) continue;
    world.violate(5, `${process.name} handed ${itemIdentifier} of ${group} back, which no fault had touched`);
  }
}

function isUnreadable({ version, policiesRead }: Process, accountId: string): boolean {
  return !isReadable({ ...version.defaultPolicy, ...(policiesRead.get(accountId) as Partial<Policy>) });
}

function recordsOf(world: World, role: Consumer['role'], batch: readonly Delivery[]): SQSRecord[] {
  const { prng, scenario, coverage, faults } = world;
  const records = batch.map(toRecord);
  if (role === 'worker' && faults.enabled && prng.chance(scenario.repeatInBatch)) {
    const at = prng.int(0, records.length - 1);
    const repeated = records[at];
    if (repeated !== undefined) {
      coverage.incident('same message twice in one batch');
      records.splice(prng.int(at + 1, records.length), 0, repeated);
    }
  }
  return records;
}

function toRecord({ message, receiveCount }: Delivery): SQSRecord {
  return {
    messageId: message.messageId,
    receiptHandle: `${message.messageId}:${receiveCount}`,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(message.sentAtMs),
      SenderId: 'simulation',
      ApproximateFirstReceiveTimestamp: String(message.sentAtMs),
      ...(message.groupId === undefined ? {} : { MessageGroupId: message.groupId }),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:simulated',
    awsRegion: 'eu-central-1',
  };
}
