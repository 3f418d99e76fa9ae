import type { SendMessageBatchRequest, SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { maxDelaySeconds } from '@usher/contracts';
import type { Prng } from './prng.ts';
import type { Scheduler } from './scheduler.ts';
import type { Served } from './served.ts';

/** A message on a queue. */
export interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly sentAtMs: number;
  visibleAtMs: number;
  inFlight: boolean;
  receiveCount: number;
}

/** A message in someone's hands; the handle dies with the next receive. */
export interface Delivery {
  readonly message: Message;
  readonly receiveCount: number;
}

export interface QueueOptions {
  readonly name: string;
  readonly fifo: boolean;
  readonly visibilityMs: number;
  /** The longest wait of a message in a run: beyond it a loss would be the operator's, not Usher's. */
  readonly retentionMs: number;
  readonly dead?: { readonly queue: Queue; readonly maxReceiveCount: number };
  readonly scheduler: Scheduler;
  readonly prng: Prng;
  readonly onDead?: (message: Message) => void;
  /** Called for each entry that was taken, also where deduplication then dropped it. */
  readonly onSent: (queue: string, entry: SendMessageBatchRequestEntry, atMs: number) => void;
}

const dedupMs = 5 * 60_000;
/**
 * One SQS queue in memory. FIFO (developer guide, "FIFO queue delivery logic"): a group is locked while one of its
 * messages is in flight, a receive takes as many of a free group as fit, nothing overtakes within a group, a
 * deduplication id holds for five minutes. Standard: delays, any order, now and then a message twice.
 */
export class Queue {
  readonly name: string;
  readonly #options: QueueOptions;
  readonly #dedup = new Map<string, number>();
  #messages: Message[] = [];
  #waiting: (() => void)[] = [];
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #count = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.name = options.name;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The messages whose body holds a text. */
  countOf(text: string): number {
    return this.#messages.filter(({ body }) => body.includes(text)).length;
  }

  /** SendMessageBatch, entry by entry; `fateOf` tells which of them fail, and which the answer does not mention. */
  serve(
    { Entries = [] }: SendMessageBatchRequest,
    fateOf: (index: number) => 'taken' | 'failed' | 'taken, not told' | 'failed, not told',
  ): Served {
    this.#check(Entries);
    const taken = new Map<number, string>();
    const indexes = Entries.map((_, i) => i).filter((i) => fateOf(i).startsWith('taken'));
    const told = (i: number): boolean => !fateOf(i).endsWith('not told');
    return {
      steps: indexes.map((i) => () => {
        const entry = Entries[i];
        if (entry !== undefined) taken.set(i, this.#send(entry));
      }),
      finish: () => ({
        Successful: Entries.flatMap(({ Id }, i) => (taken.has(i) && told(i) ? [{ Id, MessageId: taken.get(i) }] : [])),
        Failed: Entries.flatMap(({ Id }, i) =>
          !taken.has(i) && told(i) ? [{ Id, Code: 'InternalError', SenderFault: false }] : [],
        ),
      }),
    };
  }

  /** Puts a message on the queue that nobody sent through a client; its id. */
  put(body: string, groupId: string): string {
    return this.#push({ body, groupId, delayMs: 0 });
  }

  receive(max: number): Delivery[] {
    this.#moveDead();
    const { scheduler, prng, fifo, visibilityMs, retentionMs } = this.#options;
    const now = scheduler.nowMs;
    const chosen = fifo ? this.#chooseFifo(max) : prng.shuffled(this.#messages.filter(isVisible(now))).slice(0, max);
    for (const message of chosen) {
      if (now - message.sentAtMs > retentionMs) throw new Error(`the run let a message expire on ${this.name}`);
      message.inFlight = true;
      message.receiveCount++;
      // At least once: a standard queue may hand a message out again though it is in flight.
      message.visibleAtMs = now + (!fifo && prng.chance(0.02) ? prng.int(0, 2000) : visibilityMs);
    }
    this.#wakeLater();
    return chosen.map((message) => ({ message, receiveCount: message.receiveCount }));
  }

  /** Deletes; false where a FIFO queue refuses because the visibility has run out. */
  remove({ message, receiveCount }: Delivery): boolean {
    const now = this.#options.scheduler.nowMs;
    if (!this.#messages.includes(message)) return true;
    const isCurrent = message.receiveCount === receiveCount;
    if (this.#options.fifo && !(isCurrent && message.visibleAtMs > now)) return false;
    if (isCurrent) this.#messages = this.#messages.filter((other) => other !== message);
    this.#notify();
    return true;
  }

  /** Makes a message visible at once (ChangeMessageVisibility to 0), where it is still in these hands. */
  release({ message, receiveCount }: Delivery): void {
    const now = this.#options.scheduler.nowMs;
    if (message.receiveCount !== receiveCount || message.visibleAtMs <= now) return;
    message.visibleAtMs = now;
    message.inFlight = false;
    this.#notify();
  }

  /**
   * Moves all messages to another queue, as an operator's redrive does: to its end, their counts begun anew, under new
   * ids (SQS guide, "Dead-letter queue redrive").
   *
   * @returns the new ids by the old ones
   */
  redriveTo(target: Queue): Map<string, string> {
    const moved = this.#messages;
    this.#messages = [];
    return new Map(
      moved.map(({ body, groupId, messageId }) => [messageId, target.#push({ body, groupId, delayMs: 0 })]),
    );
  }

  /** Resolves once a receive may find something that it did not find now. */
  changed(): Promise<void> {
    this.#wakeLater();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #send(entry: SendMessageBatchRequestEntry): string {
    const { MessageBody = '', MessageGroupId, MessageDeduplicationId, DelaySeconds = 0 } = entry;
    const now = this.#options.scheduler.nowMs;
    this.#options.onSent(this.name, entry, now);
    const known = MessageDeduplicationId === undefined ? undefined : this.#dedup.get(MessageDeduplicationId);
    if (known !== undefined && now - known < dedupMs) return 'deduplicated';
    if (MessageDeduplicationId !== undefined) this.#dedup.set(MessageDeduplicationId, now);
    return this.#push({ body: MessageBody, groupId: MessageGroupId, delayMs: DelaySeconds * 1000 });
  }

  #push(of: { body: string; groupId: string | undefined; delayMs: number; messageId?: string }): string {
    const sentAtMs = this.#options.scheduler.nowMs;
    const messageId = of.messageId ?? `${this.name}-${++this.#count}`;
    const visibleAtMs = sentAtMs + of.delayMs;
    const { body, groupId } = of;
    this.#messages.push({ messageId, body, groupId, sentAtMs, visibleAtMs, inFlight: false, receiveCount: 0 });
    this.#notify();
    return messageId;
  }

  #check(entries: readonly SendMessageBatchRequestEntry[]): void {
    const bytes = entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
    const ids = new Set(entries.map(({ Id }) => Id));
    if (entries.length === 0 || entries.length > 10 || ids.size < entries.length || bytes > 1_048_576) {
      throw new Error(`SendMessageBatch of ${entries.length} entries, ${ids.size} ids, ${bytes} bytes`);
    }
    for (const { MessageGroupId, MessageDeduplicationId, DelaySeconds = 0 } of entries) {
      const isRight = this.#options.fifo
        ? MessageGroupId !== undefined && MessageDeduplicationId !== undefined && DelaySeconds === 0
        : MessageDeduplicationId === undefined && Number.isInteger(DelaySeconds) && DelaySeconds >= 0;
      if (!isRight || DelaySeconds > maxDelaySeconds) throw new Error(`an entry that ${this.name} would refuse`);
    }
  }

  #chooseFifo(max: number): Message[] {
    const now = this.#options.scheduler.nowMs;
    const closed = new Set<string>();
    for (const { groupId = '', visibleAtMs } of this.#messages) if (visibleAtMs > now) closed.add(groupId);
    const chosen: Message[] = [];
    for (const head of this.#messages) {
      const group = head.groupId ?? '';
      if (closed.has(group) || chosen.length >= max) continue;
      closed.add(group);
      chosen.push(...this.#messages.filter(({ groupId }) => groupId === group).slice(0, max - chosen.length));
    }
    return chosen;
  }

  #moveDead(): void {
    const { dead, scheduler, onDead } = this.#options;
    if (dead === undefined) return;
    const isDead = (message: Message): boolean =>
      message.receiveCount >= dead.maxReceiveCount && message.visibleAtMs <= scheduler.nowMs;
    const moved = this.#messages.filter(isDead);
    if (moved.length === 0) return;
    this.#messages = this.#messages.filter((message) => !isDead(message));
    for (const message of moved) {
      dead.queue.#push({ body: message.body, groupId: message.groupId, delayMs: 0, messageId: message.messageId });
      onDead?.(message);
    }
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Wakes those who wait when the next hidden message becomes visible. */
  #wakeLater(): void {
    const { scheduler } = this.#options;
    const now = scheduler.nowMs;
    const next = Math.min(...this.#messages.map(({ visibleAtMs }) => visibleAtMs).filter((atMs) => atMs > now));
    if (next >= this.#wakeAtMs || next === Number.POSITIVE_INFINITY) return;
    this.#wakeAtMs = next;
    scheduler.at(next, () => {
      if (this.#wakeAtMs !== next) return;
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      this.#notify();
    });
  }
}

function isVisible(now: number): (message: Message) => boolean {
  return ({ visibleAtMs }) => visibleAtMs <= now;
}
