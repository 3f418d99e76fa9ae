import { dispatchTimes, type Outcome, type Policy } from '@usher/limiter-core/bulk';
import { outcomesIn, windowsOf } from './account-items.ts';
import type { Item } from './expressions.ts';
import type { History, Violation } from './history.ts';
import { AccountModel, type Decision } from './model.ts';
import { isReadable } from './policies.ts';
import { dayMs } from './times.ts';
import type { ChunkMessage } from './wire.ts';

/** The first settlement of a chunk, as an account's write recorded it and as the model confirms it. */
export interface Settlement {
  readonly chunkId: string;
  readonly message: ChunkMessage;
  readonly outcome: Outcome;
  readonly decision: Decision;
  readonly atMs: number;
  /** Its place among the account's settlements. */
  readonly place: number;
  /** The due instant of each row; null where it is rejected. */
  readonly dueAtMs: readonly (number | null)[];
}

type Violate = (promise: Violation['promise'], message: string) => void;

/**
 * Walks through an account's writes in their order, asks the model about every chunk that one settles, and compares
 * verdicts and counters. It ends at an account's first difference, for all that follows would differ too.
 */
export function walkSettlements(history: History, violate: Violate): Map<string, Map<string, Settlement>> {
  const byAccount = new Map<string, Map<string, Settlement>>();
  for (const [accountId, writes] of Map.groupBy(history.accountWrites, (write) => write.accountId)) {
    const walk = new AccountWalk(accountId, history, violate);
    byAccount.set(accountId, walk.settled);
    for (const write of writes) {
      if (write.policyRead === undefined) {
        violate(1, `${write.by?.name} wrote ${accountId} without having read its policy`);
        break;
      }
      const policy = { ...write.by?.defaultPolicy, ...(write.policyRead as Partial<Policy>) } as Policy;
      if (!isReadable(policy)) {
        violate(1, `${write.by?.name} wrote ${accountId} under a policy that nobody can read`);
        break;
      }
      if (!walk.step(write, policy)) break;
    }
  }
  return byAccount;
}

class AccountWalk {
  readonly settled = new Map<string, Settlement>();
  readonly #accountId: string;
  readonly #history: History;
  readonly #violate: Violate;
  readonly #model = new AccountModel();

  constructor(accountId: string, history: History, violate: Violate) {
    this.#accountId = accountId;
    this.#history = history;
    this.#violate = violate;
  }

  /** One write; false where it breaks a promise. */
  step(write: History['accountWrites'][number], policy: Policy): boolean {
    const outcomes = write.set
      .filter((name) => name.startsWith('receipt:'))
      .flatMap((name) => [...outcomesIn(write.after, name)]);
    const dates = new Set<string>();
    const before = windowsOf(write.before);
    for (const [date, { used }] of windowsOf(write.after)) {
      if (used === (before.get(date)?.used ?? 0)) continue;
      dates.add(date);
      if (policy.mode === 'enforce' && used > policy.dailyLimit) {
        this.#violate(1, `${this.#accountId} used ${used} in ${date}, over the limit ${policy.dailyLimit}`);
        return false;
      }
    }
    for (const [id, outcome] of outcomes) {
      const date = this.#settle(id, outcome, write, policy);
      if (date === undefined) return false;
      dates.add(date);
    }
    return [...dates].every((date) => this.#countersAgree(date, write.after));
  }

  #settle(
    chunkId: string,
    outcome: Outcome,
    write: History['accountWrites'][number],
    policy: Policy,
  ): string | undefined {
    const message = this.#history.chunks.get(chunkId)?.message;
    if (message === undefined) {
      this.#violate(2, `${chunkId} was settled, which nobody sent`);
      return undefined;
    }
    const known = this.settled.get(chunkId);
    if (known !== undefined) {
      this.#violate(2, `${chunkId} of ${this.#accountId} was counted at ${iso(known.atMs)} and at ${iso(write.atMs)}`);
      return undefined;
    }
    const { atMs: lastMs } = this.#model.bucket;
    const decision = this.#model.decide(message, policy, outcome);
    if (!this.#verdictAgrees(chunkId, message, outcome, decision, policy)) return undefined;
    const dueAtMs = dispatchTimes(outcome, message.reservations);
    const clockMs = write.atMs + (write.by?.skewMs ?? 0);
    if (!isItsTime(outcome.settledAtMs, { lastMs, clockMs, isAfterWrongClock: decision.isAfterWrongClock })) {
      const instants = `${iso(outcome.settledAtMs)} by a clock of ${iso(clockMs)}, after a decision of ${iso(lastMs)}`;
      this.#violate(6, `${chunkId} was decided as of ${instants}`);
      return undefined;
    }
    if (!this.#scheduleAgrees(chunkId, decision, dueAtMs)) return undefined;
    this.settled.set(chunkId, {
      chunkId,
      message,
      outcome,
      decision,
      atMs: write.atMs,
      place: this.settled.size,
      dueAtMs,
    });
    return message.window.date;
  }

  #verdictAgrees(
    chunkId: string,
    message: ChunkMessage,
    outcome: Outcome,
    decision: Decision,
    policy: Policy,
  ): boolean {
    const told = `${chunkId} of ${this.#accountId} (limit ${policy.dailyLimit})`;
    if (outcome.date !== message.window.date) {
      this.#violate(0, `${told} was accepted for ${message.window.date} and counted in ${outcome.date}`);
      return false;
    }
    if (outcome.usedBefore !== decision.usedBefore) {
      this.#violate(7, `${told} was decided at usage ${outcome.usedBefore}; granted so far is ${decision.usedBefore}`);
      return false;
    }
    if (message.mode === 'all-or-nothing' && new Set(outcome.reasons.map((reason) => reason === null)).size > 1) {
      this.#violate(0, `${told} asked for all or nothing and was granted in part`);
      return false;
    }
    const isSame =
      outcome.grantedCost === decision.grantedCost &&
      outcome.rejectedCost === decision.rejectedCost &&
      outcome.limit === policy.dailyLimit &&
      JSON.stringify(outcome.reasons) === JSON.stringify(decision.reasons);
    if (isSame) return true;
    const excess = outcome.grantedCost - decision.grantedCost;
    const isOfPacing = [outcome, decision].some(({ reasons }) => reasons.some((one) => one === 'pacing_backlog_full'));
    this.#violate(
      isOfPacing ? 6 : excess > 0 ? 1 : excess < 0 ? 4 : 0,
      `${told} was granted ${outcome.grantedCost} at limit ${outcome.limit}, by the rules ${decision.grantedCost}`,
    );
    return false;
  }

  /**
   * Promise 6: each row is due when a plain bucket says so, never before; and later only by what rounding can have added.
   */
  #scheduleAgrees(chunkId: string, decision: Decision, dueAtMs: readonly (number | null)[]): boolean {
    const wrong = dueAtMs.findIndex((atMs, row) => {
      const expectedMs = decision.dueAtMs[row] ?? null;
      if (atMs === null || expectedMs === null) return atMs !== expectedMs;
      return atMs - expectedMs < -0.01 || atMs - expectedMs > decision.roundedMs + 1;
    });
    if (wrong < 0) return true;
    const [is, should] = [dueAtMs[wrong] ?? 0, decision.dueAtMs[wrong] ?? 0];
    this.#violate(6, `row ${wrong} of ${chunkId} is due ${iso(is)}; the bucket allows it ${iso(should)}`);
    return false;
  }

  #countersAgree(date: string, item: Item): boolean {
    const { used, rejected, over } = this.#model.window(date);
    const counted = windowsOf(item).get(date);
    const found = [counted?.used ?? 0, counted?.rejected ?? 0, counted?.over ?? 0];
    if (JSON.stringify(found) === JSON.stringify([used, rejected, over])) return true;
    this.#violate(
      7,
      `${this.#accountId} counts ${found.join('/')} used/rejected/over in ${date}; decided were ${used}/${rejected}/${over}`,
    );
    return false;
  }
}

/** A decision's instant is what the worker's clock said, or the last one's where that is later by no more than a day. */
function isItsTime(
  atMs: number,
  { lastMs, clockMs, isAfterWrongClock }: { lastMs: number; clockMs: number; isAfterWrongClock: boolean },
): boolean {
  if (atMs < lastMs) return isAfterWrongClock;
  return atMs <= clockMs || (atMs === lastMs && lastMs - clockMs <= dayMs);
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
