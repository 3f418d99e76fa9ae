import { bookingKeyOf, keptQueue, workQueue } from '@usher/contracts';
import { createIntake } from '@usher/intake';
import { DynamoDbAccountStore, DynamoDbHopStore, keys } from '@usher/limiter-core/bulk/dynamodb';
import { silentMeter } from '@usher/service';
import { createWorker, type Worker } from '@usher/worker';
import { Bus } from './bus.ts';
import { ClientSet } from './clients.ts';
import { type Coverage, Faults } from './faults.ts';
import { History, type Violation } from './history.ts';
import { Network } from './network.ts';
import type { Prng } from './prng.ts';
import { Process, type Role } from './process.ts';
import { type Message, Queue } from './queue.ts';
import { checkRemovals } from './removals.ts';
import type { Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';
import { Table } from './table.ts';

export const tableName = 'usher';
const queueBase = 'http://127.0.0.1/queue';
const maxEvents = 60_000;

/**
 * The most messages of one chunk that may be on the pacing queue at once: far above what claims leave, far below the growth
 * without them. A put-back is sent at most twelve times (four calls of three attempts), under one token. A hop has the messages
 * of one token as its winners, each of which puts back twelve more. One whose put-back was taken and never answered comes again,
 * wins again, and puts back twelve more under another token. So a hop leaves 144 and twelve for each such repeat, beside what is
 * left of the hop before; of 4,000 seeds two came above 150, and one above 300.
 */
const maxCopies = 1_000;

/** Sets of clients cost a millisecond to make; a dead process's may be handed to the next one. */
const spareClients: ClientSet[] = [];

export type Intake = ReturnType<typeof createIntake>;

/** The simulated machines, services and clock of one run. */
export class World {
  readonly prng: Prng;
  readonly scenario: Scenario;
  readonly coverage: Coverage;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly table: Table;
  readonly bus: Bus;
  readonly history: History;
  readonly bookings: Queue;
  readonly bookingsDead: Queue;
  readonly pacing: Queue;
  readonly pacingDead: Queue;
  readonly dispatch: Queue;
  readonly trace: string[] = [];
  readonly #network: Network;
  readonly #lent: ClientSet[] = [];
  #started = 0;
  #hadWrongClock = false;

  constructor(prng: Prng, scenario: Scenario, coverage: Coverage) {
    this.prng = prng;
    this.scenario = scenario;
    this.coverage = coverage;
    this.scheduler = new Scheduler(prng, scenario.startMs, maxEvents);
    const { faults: rates, faultSpans } = scenario;
    this.faults = new Faults({ prng, rates, coverage, faultSpans, now: () => this.scheduler.nowMs });
    this.table = this.#createTable();
    this.bus = new Bus(() => this.scheduler.nowMs);
    this.history = new History(this.bus);
    const { visibilityMs, maxReceiveCount } = scenario;
    this.bookingsDead = this.#createQueue('bookings-dead.fifo', { fifo: true, visibilityMs, isKept: true });
    this.bookings = this.#createQueue('bookings.fifo', {
      fifo: true,
      visibilityMs,
      dead: { queue: this.bookingsDead, maxReceiveCount },
    });
    this.pacingDead = this.#createQueue('pacing-dead', { fifo: false, visibilityMs, isKept: true });
    this.pacing = this.#createQueue('pacing', {
      fifo: false,
      visibilityMs,
      dead: { queue: this.pacingDead, maxReceiveCount },
    });
    this.dispatch = this.#createQueue('dispatch', { fifo: false, visibilityMs });
    const quarantine = this.#createQueue('quarantine', { fifo: false, visibilityMs, isKept: true });
    const served = [this.bookings, this.pacing, this.dispatch, quarantine];
    const queues = new Map(served.map((queue) => [queue.name, queue]));
    this.#network = new Network({
      scheduler: this.scheduler,
      prng,
      faults: this.faults,
      coverage,
      table: this.table,
      bus: this.bus,
      queues,
      maxPauseMs: scenario.maxPauseMs,
      partialRate: scenario.partialRate,
      trace: (line) => this.note(line),
      violate: (promise, message) => this.violate(promise, message),
      ownerOf: (bookingId) => this.history.bookingOwners.get(bookingKeyOf(bookingId)),
    });
  }

  note(line: string): void {
    this.trace.push(`${new Date(this.scheduler.nowMs).toISOString()} ${line}`);
  }

  violate(promise: Violation['promise'], message: string): void {
    this.history.violations.push({ promise, message });
  }

  startProcess(role: Role): Process {
    const { maxSkewMs, versions } = this.scenario;
    const version = this.prng.pick(versions);
    if (versions.length > 1) this.coverage.incident('two versions at once');
    const skewMs = this.#wrongSkewMs(role) ?? (maxSkewMs === 0 ? 0 : this.prng.int(-maxSkewMs, maxSkewMs));
    if (skewMs !== 0) this.coverage.incident(skewMs > 0 ? 'clock ahead' : 'clock behind');
    const name = `${role}-${++this.#started}`;
    this.note(`${name} starts${skewMs === 0 ? '' : `, its clock off by ${skewMs} ms`}`);
    return new Process({ name, role, version, skewMs, scheduler: this.scheduler, prng: this.prng });
  }

  /** The skew of the one worker whose clock is wrong; undefined for any other process. */
  #wrongSkewMs(role: Role): number | undefined {
    const { wrongClock } = this.scenario;
    const isIt = role === 'worker' && wrongClock !== undefined && this.scheduler.nowMs >= wrongClock.fromMs;
    if (!isIt || this.#hadWrongClock) return undefined;
    this.#hadWrongClock = true;
    this.coverage.incident('clock wrong by more than a day');
    return wrongClock.aheadMs;
  }

  /** The worker of this process, a pacer too: warm as long as it lives. */
  createWorker(process: Process): Worker {
    const { dynamoDb, sqs, eventBridge } = this.#lend(process);
    let ids = 0;
    return createWorker({
      config: {
        tableName,
        eventBusName: 'usher',
        dispatchQueueUrl: `${queueBase}/dispatch`,
        pacingQueueUrl: `${queueBase}/pacing`,
        quarantineQueueUrl: `${queueBase}/quarantine`,
        ...process.version,
      },
      accounts: new DynamoDbAccountStore({ client: dynamoDb, tableName, retry: process.retry }),
      hops: new DynamoDbHopStore({ client: dynamoDb, tableName }),
      sqs,
      eventBridge,
      clock: process.clock,
      randomId: () => `${process.name}.${++ids}`,
      retry: process.retry,
      log: silent,
      meter: silentMeter,
    });
  }

  createIntake(process: Process): Intake {
    const { dynamoDb, sqs } = this.#lend(process);
    let attempts = 0;
    return createIntake({
      config: {
        tableName,
        bookingsQueueUrl: `${queueBase}/bookings.fifo`,
        defaultPolicy: process.version.defaultPolicy,
        submission: this.scenario.submission,
      },
      dynamoDb,
      sqs,
      authenticate: (c) => ({ accountId: c.req.header('x-account') ?? '' }),
      clock: process.clock,
      randomId: () => `${process.name}.${++attempts}`,
      retry: process.retry,
      log: silent,
      meter: silentMeter,
    });
  }

  /** Writes an account's policy item, as an operator does: fields given are changed, the others stay. */
  setPolicy(accountId: string, changed: Readonly<Record<string, unknown>>): void {
    const key = keys.policy(accountId);
    const before = this.table.read(key)?.policy?.M ?? {};
    const fields = Object.entries(changed).map(([name, value]) => [name, attributeOf(value)] as const);
    const policy = { M: { ...before, ...Object.fromEntries(fields) } };
    this.table.write(key, { pk: { S: key.pk }, sk: { S: key.sk }, policy });
  }

  /** Waiting messages by queue. */
  waiting(): string {
    const queues = [this.bookings, this.bookingsDead, this.pacing, this.pacingDead, this.dispatch];
    return queues.map(({ name, length }) => `${length} on ${name}`).join(', ');
  }

  /** Gives the clients back. Nothing of this world may run any more. */
  end(): void {
    spareClients.push(...this.#lent);
    this.#lent.length = 0;
  }

  #lend(process: Process): ReturnType<ClientSet['handTo']> {
    const set = spareClients.pop() ?? new ClientSet();
    this.#lent.push(set);
    return set.handTo({ process, send: this.#network.send });
  }

  #createQueue(
    name: string,
    {
      isKept = false,
      ...of
    }: { fifo: boolean; visibilityMs: number; isKept?: boolean; dead?: { queue: Queue; maxReceiveCount: number } },
  ) {
    return new Queue({
      ...of,
      retentionMs: (isKept ? keptQueue : workQueue).retentionSeconds * 1000,
      name,
      scheduler: this.scheduler,
      prng: this.prng,
      onSent: (queue, entry, atMs) => {
        this.history.sent(queue, entry, atMs);
        if (queue === 'pacing') this.#countCopies(entry.MessageBody ?? '');
        if (queue === 'bookings.fifo') this.#maybeSendTwice(entry.MessageBody ?? '', entry.MessageGroupId ?? '');
      },
      onDead: (message: Message) => {
        this.coverage.incident('moved to the dead-letter queue');
        const chunkId = this.history.chunkIdOf(message.body);
        if (chunkId !== undefined && name === 'bookings.fifo') this.history.deadChunks.add(chunkId);
        this.note(`${name} moves ${message.messageId} to the dead-letter queue`);
      },
    });
  }

  #countCopies(body: string): void {
    const [chunk] = /"bookingId":"[^"]+","chunk":\d+,/.exec(body) ?? [];
    if (chunk === undefined) return;
    const copies = this.pacing.countOf(chunk) + this.pacingDead.countOf(chunk) + 1;
    this.history.mostCopies = Math.max(this.history.mostCopies, copies);
    if (copies === maxCopies + 1) this.violate(0, `${chunk} has more than ${maxCopies} copies on the pacing queue`);
  }

  /** A producer that sends a chunk again, past deduplication. */
  #maybeSendTwice(body: string, groupId: string): void {
    if (!this.faults.enabled || !this.prng.chance(this.scenario.sentTwice)) return;
    this.scheduler.after(this.prng.int(0, this.prng.pick([1000, 600_000])), () => {
      this.coverage.incident('message sent twice');
      this.bookings.put(body, groupId);
    });
  }

  #createTable(): Table {
    const { maxTtlDelayMs } = this.scenario;
    const { queryBytes, batchGetBytes } = this.scenario;
    return new Table({
      now: () => this.scheduler.nowMs,
      queryBytes,
      batchGetBytes,
      ttlDelayMs: () => (maxTtlDelayMs === 0 ? 0 : this.prng.int(0, maxTtlDelayMs)),
      onDelete: (delayMs) => this.coverage.incident(delayMs === 0 ? 'deleted by TTL at once' : 'deleted by TTL late'),
      onWrite: (write) => {
        if (write.key.sk === 'quota') {
          const accountId = write.key.pk.slice('account#'.length);
          const policyRead = write.by?.policiesRead.get(accountId);
          this.history.accountWrites.push({ ...write, accountId, policyRead });
          checkRemovals(this, accountId, write);
          this.note(`${write.by?.name} wrote ${accountId} rev ${write.after.rev?.N} ${write.set.join(' ')}`);
        } else if (write.key.pk.startsWith(keys.ledgerPartition(''))) {
          this.history.ledgerWrites.push(write);
        } else if (write.key.sk === 'hop') {
          const { pk } = write.key;
          if (write.before === undefined && this.history.claimed.has(pk))
            this.violate(0, `the claim of ${pk} was forgotten`);
          this.history.claimed.add(pk);
        } else if (write.key.sk === 'header' && write.after.accountId?.S !== undefined) {
          this.history.bookingOwners.set(write.key.pk.slice(keys.header('').pk.length), write.after.accountId.S);
        }
      },
    });
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

function attributeOf(value: unknown): { N: string } | { S: string } | { L: { N: string }[] } {
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (Array.isArray(value)) return { L: value.map((number) => ({ N: String(number) })) };
  throw new Error('a policy field is a number, a text or a list of numbers');
}
