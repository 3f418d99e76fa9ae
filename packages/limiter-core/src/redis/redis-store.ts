import type { Clock } from '../clock.ts';
import { UsherError } from '../errors.ts';
import type { LimitStore, Limits, Seen, Taken } from '../limiter/store.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { untilAborted } from '../limiter/until-aborted.ts';
import { type Answer, readAnswer } from './answer.ts';
import { type Request, scriptArguments } from './arguments.ts';
import type { RedisClient } from './client.ts';
import { failureOf, isUnknownScript } from './failures.ts';
import type { RedisOptions } from './options.ts';
import { remoteKey } from './remote-key.ts';
import { endlessMs, script, scriptSha1 } from './script.ts';

/** A server's instant lies in the span that was made for it, but for two turns of a window within two calls. */
const maxCalls = 4;

type Key = Omit<Limits, 'policies'>;

/**
 * Keeps limits in Redis 5 or newer, or what speaks its protocol: one hash a key, one script a call. The server's clock
 * decides, so that processes need not agree on the time.
 */
export class RedisStore implements LimitStore {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #clock: Clock | undefined;
  /** The server's time less that of the caller, when last seen: milliseconds. */
  #aheadMs = 0;

  constructor({ client, prefix = 'limits:', clock }: Pick<RedisOptions, 'client' | 'prefix' | 'clock'>) {
    this.#client = client;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  take(limits: Limits, cost: number): Promise<Taken> {
    return this.#ask(limits, { operation: 'take', amount: cost, policies: limits.policies });
  }

  peek(limits: Limits): Promise<Seen> {
    return this.#ask(limits, { operation: 'peek', amount: 0, policies: limits.policies });
  }

  charge(limits: Limits, cost: number): Promise<Seen> {
    return this.#ask(limits, { operation: 'charge', amount: cost, policies: limits.policies });
  }

  async giveBack(limits: Limits, cost: number, taken: readonly State[]): Promise<void> {
    await this.#ask(limits, { operation: 'giveBack', amount: cost, policies: limits.policies, taken });
  }

  /** The block lasts as long by the server's clock as it would by the caller's. */
  async block(limits: Key, untilMs: number): Promise<void> {
    const amount = untilMs >= endlessMs ? endlessMs : Math.ceil(untilMs - limits.nowMs);
    await this.#ask(limits, { operation: 'block', amount, policies: [] });
  }

  async delete(limits: Key): Promise<void> {
    await this.#ask(limits, { operation: 'delete', amount: 0, policies: [] });
  }

  async #ask({ limiter, key: ofKey, nowMs, signal }: Key, request: Request): Promise<Taken> {
    const key = remoteKey({ prefix: this.#prefix, limiter, key: ofKey });
    const clockMs = this.#clock?.();
    let guessMs = clockMs ?? nowMs + this.#aheadMs;
    for (let call = 1; call <= maxCalls; call++) {
      signal?.throwIfAborted();
      const args = scriptArguments(request, clockMs, guessMs);
      const answer: Answer = readAnswer(await untilAborted(this.#run(key, args), signal), key);
      guessMs = 'taken' in answer ? answer.nowMs : answer.outsideAtMs;
      this.#aheadMs = guessMs - nowMs;
      if ('taken' in answer) return answer;
    }
    throw new UsherError(`The server's time was outside its calendar's window in each of ${maxCalls} calls`);
  }

  async #run(key: string, args: readonly string[]): Promise<unknown> {
    try {
      return await this.#client.evalSha1(scriptSha1, key, args);
    } catch (error) {
      if (!isUnknownScript(error)) throw failureOf(error);
    }
    try {
      return await this.#client.evalScript(script, key, args);
    } catch (error) {
      throw failureOf(error);
    }
  }
}
