import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Dispatch, type UsherEvent } from '@usher/contracts';
import { systemClock } from '@usher/limiter-core';
import type { Queues } from '@usher/local-stack';
import { type } from 'arktype';
import { readEvent } from '../support/read-back.ts';
import type { KillableStack } from './killable-stack.ts';

/** A dispatch as it was handed out first. */
export interface ReceivedDispatch extends Dispatch {
  readonly receivedAtMs: number;
}

const parseDispatch = type('string.json.parse').to(Dispatch);
/** The visibility of a received message: it comes back after so long where it could not be deleted. */
const visibilitySeconds = 3;

/**
 * The booking system and the listeners on the bus. They take dispatches and events all the while, and compare each
 * repeat with the first of its id.
 */
export class Consumer {
  readonly events = new Map<string, UsherEvent>();
  readonly dispatches = new Map<string, ReceivedDispatch>();
  /** Dispatches and events that came again. */
  repeats = 0;
  readonly violations: string[] = [];

  /** Takes what comes until the signal is aborted. */
  async run(stack: KillableStack, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#poll(stack, 'dispatch', signal, (body) => this.#takeDispatch(body)),
      this.#poll(stack, 'events', signal, (body) => this.#takeEvent(body)),
    ]);
  }

  async #poll(
    stack: KillableStack,
    name: 'dispatch' | 'events',
    signal: AbortSignal,
    take: (body: string) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const { clients, queues } = await stack.connection;
        const bodies = await takeSome(clients.sqs, queues[name].url, signal, take);
        if (bodies === 0) await pause(50, undefined, { signal });
      } catch {
        // The queue is refusing, or gone: what was not deleted comes again.
        await pause(200);
      }
    }
  }

  #takeDispatch(body: string): void {
    const dispatch = parseDispatch.assert(body);
    const nowMs = systemClock();
    const earlyMs = Date.parse(dispatch.dispatchAt) - nowMs;
    if (earlyMs > 0) this.violations.push(`dispatch ${dispatch.dispatchId} came ${earlyMs} ms early`);
    const known = this.dispatches.get(dispatch.dispatchId);
    if (known === undefined) this.dispatches.set(dispatch.dispatchId, { ...dispatch, receivedAtMs: nowMs });
    else this.#compare(`dispatch ${dispatch.dispatchId}`, { ...dispatch, receivedAtMs: known.receivedAtMs }, known);
  }

  #takeEvent(body: string): void {
    const event = readEvent(body);
    const id = `${event.detailType} ${event.detail.metadata.id}`;
    const known = this.events.get(id);
    if (known === undefined) this.events.set(id, event);
    else this.#compare(`event ${id}`, event, known);
  }

  #compare(name: string, repeat: unknown, first: unknown): void {
    this.repeats += 1;
    if (!isDeepStrictEqual(repeat, first)) this.violations.push(`${name} came again with another content`);
  }
}

/** Takes and deletes up to ten messages; answers how many there were. */
async function takeSome(
  sqs: Awaited<KillableStack['connection']>['clients']['sqs'],
  QueueUrl: Queues['events']['url'],
  abortSignal: AbortSignal,
  take: (body: string) => void,
): Promise<number> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: visibilitySeconds }),
    { abortSignal },
  );
  for (const { Body = '' } of Messages) take(Body);
  const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.length;
}
