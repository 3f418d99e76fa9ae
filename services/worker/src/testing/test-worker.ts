import { inspect } from 'node:util';
import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { Dispatch, eventDetails, Pacing } from '@usher/contracts';
import {
  builtInPolicy,
  type HopStore,
  MemoryAccountStore,
  MemoryHopStore,
  type Policy,
  type RetryEnvironment,
  type VirtualClock,
  virtualClock,
} from '@usher/limiter-core/bulk';
import { type LogEntry, recordingLog, recordingMeter } from '@usher/service/testing';
import { type } from 'arktype';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createWorker, type Worker } from '../create-worker.ts';
import type { Deadline, WorkerPorts } from '../ports.ts';
import { noon } from './messages.ts';
import {
  type PutAnswer,
  published,
  type SendAnswer,
  type SendCall,
  scriptedEventBridge,
  scriptedSqs,
  taken,
} from './scripted-clients.ts';

export const queues = {
  dispatch: 'http://127.0.0.1/queue/dispatch',
  pacing: 'http://127.0.0.1/queue/pacing',
  quarantine: 'http://127.0.0.1/queue/quarantine',
} as const;

/** The content of a message in quarantine. */
export const Quarantined = type('string.json.parse').to({
  '+': 'reject',
  v: '1',
  reason: 'string',
  problem: 'string',
  messageId: 'string',
  'accountId?': 'string',
  sentTimestamp: 'string',
  body: 'string',
  truncated: 'boolean',
});
export type Quarantined = typeof Quarantined.infer;

/** A message that SQS took. */
export interface SentMessage {
  readonly body: string;
  readonly delaySeconds: number;
  readonly groupId: string | undefined;
}

/** An event that EventBridge took. */
export interface PublishedEvent {
  readonly id: string;
  readonly detailType: string;
  readonly detail: string;
}

export interface TestWorkerOptions {
  readonly store?: MemoryAccountStore;
  readonly hops?: HopStore;
  readonly policy?: Partial<Policy>;
}

/** Retries that lose no time. */
export const instantRetry: RetryEnvironment = { sleep: async () => undefined, random: () => 0 };

/** A deadline that never comes near. */
export const plentyOfTime: Deadline = { getRemainingTimeInMillis: () => 60_000 };

/** A worker on ports in memory, warm from the first batch on: what it sends is kept, what it logs and counts is kept too. */
export class TestWorker implements Worker {
  readonly clock: VirtualClock = virtualClock(noon);
  readonly store: MemoryAccountStore;
  readonly ports: WorkerPorts;
  readonly logged: LogEntry[] = [];
  readonly metrics = new Map<string, number>();
  readonly sendCalls: SendCall[] = [];
  readonly putCalls: (readonly PutEventsRequestEntry[])[] = [];
  /** The answers of the next calls; replaced by tests that want failures. */
  answerSend: (call: SendCall) => SendAnswer | Error = ({ entries }) => taken(entries);
  answerPut: (entries: readonly PutEventsRequestEntry[]) => PutAnswer | Error = published;
  readonly #sent = new Map<string, SentMessage[]>();
  readonly #published: PublishedEvent[] = [];
  readonly #worker: Worker;
  #ids = 0;

  constructor({ store = new MemoryAccountStore(), hops = new MemoryHopStore(), policy = {} }: TestWorkerOptions = {}) {
    this.store = store;
    this.ports = {
      config: {
        tableName: 'usher',
        eventBusName: 'usher',
        dispatchQueueUrl: queues.dispatch,
        pacingQueueUrl: queues.pacing,
        quarantineQueueUrl: queues.quarantine,
        defaultPolicy: { ...builtInPolicy, ...policy },
        deadlineMarginMs: 5_000,
      },
      accounts: store,
      hops,
      sqs: scriptedSqs((call) => this.#send(call)),
      eventBridge: scriptedEventBridge((entries) => this.#put(entries)),
      clock: this.clock,
      randomId: () => `id-${this.#ids++}`,
      retry: instantRetry,
      log: recordingLog(this.logged),
      meter: recordingMeter(this.metrics),
    };
    this.#worker = createWorker(this.ports);
  }

  settle(event: SQSEvent, deadline: Deadline = plentyOfTime): Promise<SQSBatchResponse> {
    return this.#worker.settle(event, deadline);
  }

  pace(event: SQSEvent, deadline: Deadline = plentyOfTime): Promise<SQSBatchResponse> {
    return this.#worker.pace(event, deadline);
  }

  /** The messages that a queue has taken, in order. */
  sent(queue: keyof typeof queues): readonly SentMessage[] {
    return this.#sent.get(queues[queue]) ?? [];
  }

  dispatches(): Dispatch[] {
    return this.sent('dispatch').map(({ body }) => Dispatch.assert(JSON.parse(body)));
  }

  pacings(): Pacing[] {
    return this.sent('pacing').map(({ body }) => Pacing.assert(JSON.parse(body)));
  }

  /** The contents of what lies in quarantine, in order. */
  quarantined(): Quarantined[] {
    return this.sent('quarantine').map(({ body }) => Quarantined.assert(body));
  }

  /** The events that the bus has taken, in order. */
  events(detailType?: string): readonly PublishedEvent[] {
    return this.#published.filter((event) => detailType === undefined || event.detailType === detailType);
  }

  eventIds(detailType?: string): string[] {
    return this.events(detailType).map(({ id }) => id);
  }

  /** Forgets what was sent and published so far, to look at what comes next. */
  forget(): void {
    this.#sent.clear();
    this.#published.length = 0;
  }

  /** Granted cost in a window, as the account's counter holds it. */
  async used(accountId: string, date = '2026-11-29'): Promise<number> {
    const accounts = await this.store.readAccounts([accountId]);
    return accounts.get(accountId)?.state.usage.get(date)?.used ?? 0;
  }

  /** Everything logged and counted, as one text. */
  everythingObserved(): string {
    return inspect([this.logged, this.metrics], { depth: null, maxStringLength: null, maxArrayLength: null });
  }

  #send(call: SendCall): SendAnswer | Error {
    this.sendCalls.push(call);
    const answer = this.answerSend(call);
    if (answer instanceof Error) return answer;
    const ids = new Set(answer.Successful?.map(({ Id }) => Id));
    const queue = this.#sent.get(call.queueUrl) ?? [];
    this.#sent.set(call.queueUrl, queue);
    for (const { Id, MessageBody = '', DelaySeconds = 0, MessageGroupId } of call.entries) {
      if (ids.has(Id)) queue.push({ body: MessageBody, delaySeconds: DelaySeconds, groupId: MessageGroupId });
    }
    return answer;
  }

  #put(entries: readonly PutEventsRequestEntry[]): PutAnswer | Error {
    this.putCalls.push(entries);
    const answer = this.answerPut(entries);
    if (answer instanceof Error) return answer;
    for (const [i, { DetailType = '', Detail = '' }] of entries.entries()) {
      if (answer.Entries?.[i]?.EventId === undefined) continue;
      this.#published.push({ id: eventIdOf(Detail), detailType: DetailType, detail: Detail });
    }
    return answer;
  }
}

/** The id that an event's detail carries. */
export function eventIdOf(detail: string): string {
  return Identified.assert(detail).metadata.id;
}

const Identified = type('string.json.parse').to({ metadata: { id: 'string' } });

/** An event's detail, checked against the schema that contracts gives its kind. */
export function checkedDetail({ detailType, detail }: Pick<PublishedEvent, 'detailType' | 'detail'>): unknown {
  const schema = new Map<string, (data: unknown) => unknown>(Object.entries(eventDetails)).get(detailType);
  const checked = schema?.(JSON.parse(detail));
  if (checked === undefined || checked instanceof type.errors) throw new Error(`${detailType}: ${checked}`);
  return checked;
}

/** The messages that a batch hands back. */
export function handedBack({ batchItemFailures }: SQSBatchResponse): string[] {
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
