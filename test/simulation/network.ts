import type { BatchWriteItemOutput } from '@aws-sdk/client-dynamodb';
import type { PutEventsRequest } from '@aws-sdk/client-eventbridge';
import type { SendMessageBatchRequest } from '@aws-sdk/client-sqs';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { clientDefaults } from '@usher/worker';
import type { Bus } from './bus.ts';
import type { Coverage, FaultKind, Faults } from './faults.ts';
import type { Violation } from './history.ts';
import type { Prng } from './prng.ts';
import type { Process } from './process.ts';
import type { Queue } from './queue.ts';
import type { Scheduler } from './scheduler.ts';
import type { Served } from './served.ts';
import { stepOf } from './steps.ts';
import type { Caller, Table } from './table.ts';

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly prng: Prng;
  readonly faults: Faults;
  readonly coverage: Coverage;
  readonly table: Table;
  readonly bus: Bus;
  /** Queues by the last part of their URL. */
  readonly queues: ReadonlyMap<string, Queue>;
  /** The longest freeze. */
  readonly maxPauseMs: number;
  readonly partialRate: number;
  readonly trace: (line: string) => void;
  readonly violate: (promise: Violation['promise'], message: string) => void;
  /** The account that a booking belongs to. */
  readonly ownerOf: (bookingId: string) => string | undefined;
}

const timeoutMs = clientDefaults.requestHandler.requestTimeout;

/** Between processes and services: every request and every reply is an event, and any of them may meet a fault. */
export class Network {
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  readonly send = (process: Process, command: string, input: object): Promise<object> => {
    const { faults, coverage, scheduler, trace } = this.#options;
    if (!process.alive) return new Promise(() => {});
    const call = describe(command, input);
    const step = stepOf(process.role, call);
    const fault = faults.draw(step);
    if (scheduler.nowMs >= process.visibleAtMs) coverage.overdue.set(step, (coverage.overdue.get(step) ?? 0) + 1);
    trace(`${process.name} ${step}${fault === undefined ? '' : ` ! ${fault}`} ${call.target}`);
    if (fault !== undefined) this.#noteFaulted(process, call, input);
    if (step === 'worker: publish') process.untold.clear();
    if (step === 'worker: read accounts') this.#checkNobodyWaits(process, call, input);
    const { defaultPolicy } = process.version;
    const caller = { name: process.name, defaultPolicy, policiesRead: process.policiesRead, skewMs: process.skewMs };
    return new Promise((resolve, reject) => {
      const reply = (delayMs: number, answer: () => void): void =>
        scheduler.after(delayMs, () => {
          if (process.alive) answer();
        });
      scheduler.after(this.#latencyMs(), () => {
        this.#arrive({ process, caller, call, input, fault, resolve, reject, reply });
      });
    });
  };

  #arrive(exchange: Exchange): void {
    const { prng, scheduler } = this.#options;
    const { process, fault, reply, reject } = exchange;
    switch (fault) {
      case 'crash before':
        process.kill();
        return;
      case 'request lost':
        reply(prng.chance(0.5) ? 1 : timeoutMs, () => reject(connectionReset()));
        return;
      case 'throttled':
        reply(1, () => reject(throttled()));
        return;
      case 'server error':
        if (prng.chance(0.5)) this.#serve(exchange, () => {});
        reply(5, () => reject(serverError()));
        return;
      case 'applied late':
        reply(timeoutMs, () => reject(connectionReset()));
        scheduler.after(timeoutMs + prng.int(0, 20_000), () => this.#serve(exchange, () => {}));
        return;
      default:
        this.#serve(exchange, (answer) => this.#answer(exchange, answer));
    }
  }

  #answer({ process, call, input, fault, resolve, reject, reply }: Exchange, answer: Answer): void {
    const { prng, maxPauseMs } = this.#options;
    if (fault === 'crash after') {
      process.kill();
      return;
    }
    if ('error' in answer) this.#noteFaulted(process, call, input);
    const delayMs = fault === 'paused' ? prng.int(1000, maxPauseMs) : this.#latencyMs();
    reply(delayMs, () => {
      if (fault === 'reply lost') reject(connectionReset());
      else if ('error' in answer) reject(answer.error);
      else {
        if (call.command === 'BatchGetItem') notePolicies(process, input, answer.output);
        if (call.command === 'BatchWriteItem') this.#noteRecorded(process, call, input, answer.output);
        resolve(answer.output);
      }
    });
  }

  /** Lets the service do a call, its steps spread over a few milliseconds. */
  #serve(exchange: Exchange, done: (answer: Answer) => void): void {
    const { scheduler, prng } = this.#options;
    let served: Served;
    try {
      served = this.#route(exchange);
    } catch (error) {
      done({ error });
      return;
    }
    let left = served.steps.length;
    let failure: { error: unknown } | undefined;
    const end = (): void => done(failure ?? { output: served.finish() });
    if (left === 0) end();
    for (const step of served.steps) {
      scheduler.after(served.steps.length === 1 ? 0 : prng.int(0, 3), () => {
        try {
          step();
        } catch (error) {
          failure ??= { error };
        }
        if (--left === 0) end();
      });
    }
  }

  #route({ caller, call: { command, target }, input, fault }: Exchange): Served {
    const { table, bus, queues, prng, partialRate } = this.#options;
    const fates = new Map<number, EntryFate>();
    const fateOf = (index: number): EntryFate => {
      const known = fates.get(index);
      if (known !== undefined) return known;
      const fate = fault === 'partial' || fault === 'unmentioned' ? entryFate(prng, fault, partialRate) : 'taken';
      fates.set(index, fate);
      return fate;
    };
    if (command === 'PutEvents') return bus.serve(input as PutEventsRequest, fateOf);
    if (command !== 'SendMessageBatch') return table.serve(command, input, caller, (i) => fateOf(i) !== 'taken');
    const queue = queues.get(target);
    if (queue === undefined) throw new Error(`there is no queue ${target}`);
    return queue.serve(input as SendMessageBatchRequest, fateOf);
  }

  #noteRecorded(process: Process, call: Call, input: object, output: BatchWriteItemOutput): void {
    if (Object.keys(output.UnprocessedItems ?? {}).length > 0) return;
    for (const account of accountsOf(call, input, this.#options.ownerOf)) process.untold.add(account);
  }

  /** Promise 5, third part: no account is tried again before what is decided of the others is on its way. */
  #checkNobodyWaits(process: Process, call: Call, input: object): void {
    const accounts = accountsOf(call, input, this.#options.ownerOf);
    for (const account of process.untold) {
      if (accounts.has(account)) continue;
      this.#options.violate(
        5,
        `${process.name} tries ${[...accounts].join()} before it tells what it decided of ${account}`,
      );
    }
  }

  #noteFaulted(process: Process, call: Call, input: object): void {
    for (const account of accountsOf(call, input, this.#options.ownerOf)) process.faulted.add(account);
  }

  #latencyMs(): number {
    const { prng } = this.#options;
    return prng.chance(0.05) ? prng.int(10, 800) : prng.int(1, 10);
  }
}

interface Call {
  readonly command: string;
  readonly target: string;
  readonly update: string;
}

type Answer = { readonly output: object } | { readonly error: unknown };
type EntryFate = 'taken' | 'failed' | 'taken, not told' | 'failed, not told';

interface Exchange {
  readonly process: Process;
  /** The process as it was when it sent this. */
  readonly caller: Caller;
  readonly call: Call;
  readonly input: object;
  readonly fault: FaultKind | undefined;
  readonly resolve: (output: object) => void;
  readonly reject: (error: unknown) => void;
  readonly reply: (delayMs: number, answer: () => void) => void;
}

function entryFate(prng: Prng, fault: 'partial' | 'unmentioned', share: number): EntryFate {
  if (!prng.chance(share)) return 'taken';
  if (fault === 'partial') return 'failed';
  return prng.chance(0.5) ? 'taken, not told' : 'failed, not told';
}

/** Remembers the policies that a process has just read: what it decides next, it decides under these. */
function notePolicies(process: Process, input: object, output: object): void {
  const { Responses = {}, UnprocessedKeys = {} }: BatchOutput = output;
  const items = Object.values(Responses).flat();
  const unread = new Set(Object.values(UnprocessedKeys).flatMap(({ Keys }) => Keys.map(({ pk, sk }) => `${pk} ${sk}`)));
  const known = new Map(process.policiesRead);
  for (const pk of new Set(partitionsOf(input))) {
    if (!pk.startsWith(policyPrefix) || unread.has(`${pk} current`)) continue;
    const found = items.find((item) => item.pk === pk);
    known.set(pk.slice(policyPrefix.length), found?.policy ?? {});
  }
  process.policiesRead = known;
}

const policyPrefix = keys.policy('').pk;

interface BatchOutput {
  readonly Responses?: Record<string, Record<string, unknown>[]>;
  readonly UnprocessedKeys?: Record<string, { readonly Keys: Record<string, unknown>[] }>;
}

interface AnyInput {
  readonly Key?: { readonly pk?: { readonly S?: string } };
  readonly Item?: { readonly pk?: { readonly S?: string } };
  readonly RequestItems?: Record<string, unknown>;
  readonly QueueUrl?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: Record<string, { readonly S?: string }>;
}

function describe(command: string, input: object): Call {
  const { Key, Item, QueueUrl, UpdateExpression = '', ExpressionAttributeValues = {} }: AnyInput = input;
  const { ':accepted': accepted, ':pk': partition } = ExpressionAttributeValues;
  const queue = QueueUrl?.slice(QueueUrl.lastIndexOf('/') + 1);
  const target = queue ?? Key?.pk?.S ?? Item?.pk?.S ?? partition?.S ?? partitionsOf(input)[0] ?? '';
  return { command, target, update: UpdateExpression + (accepted === undefined ? '' : ' :accepted') };
}

function partitionsOf(input: object): string[] {
  return [...JSON.stringify(input).matchAll(/"pk":\{"S":"([^"]*)"/g)].map(([, pk = '']) => pk);
}

/** Stands for accounts that nobody can tell: of messages that cannot be read. */
export const anyAccount = '*';

/** The accounts that a call is about. */
function accountsOf(call: Call, input: object, ownerOf: NetworkOptions['ownerOf']): Set<string> {
  const accounts = new Set<string>();
  if (call.command === 'SendMessageBatch' || call.command === 'PutEvents') {
    const text = JSON.stringify(input);
    if (call.target === 'quarantine' || text.includes('"Message Quarantined"')) accounts.add(anyAccount);
    for (const [, id = ''] of text.matchAll(/accountId\\*":\\*"([^"\\]+)/g)) accounts.add(id);
    return accounts;
  }
  for (const pk of partitionsOf(input)) {
    const id = pk.slice(pk.indexOf('#') + 1);
    const account = /^(booking|ledger|pacing)#/.test(pk) ? ownerOf(id.split('#', 1)[0] ?? '') : id;
    if (account !== undefined) accounts.add(account);
  }
  return accounts;
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { name: 'TimeoutError', code: 'ECONNRESET' });
}

function throttled(): Error {
  const metadata = { httpStatusCode: 400 };
  return Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client', $metadata: metadata });
}

function serverError(): Error {
  const metadata = { httpStatusCode: 500 };
  return Object.assign(new Error('internal'), { name: 'InternalServerError', $fault: 'server', $metadata: metadata });
}
