import type { Prng } from './prng.ts';
import type { Step } from './steps.ts';
import { batchSteps, bulkSteps } from './steps.ts';

/** The faults of one call, as the network and the service see it. */
export const faultKinds = [
  /** The service never hears of it; the client sees its connection reset, or times out. */
  'request lost',
  /** The service does it; the answer does not arrive. */
  'reply lost',
  /** The client times out; the service does it seconds later, after whatever the client did next. */
  'applied late',
  'throttled',
  /** Answered 500; whether it was done is anyone's guess. */
  'server error',
  /** Some entries of a batch come back undone. */
  'partial',
  /** Some entries of a batch are named neither as done nor as failed. */
  'unmentioned',
  /** The caller is frozen for a while before it sees the answer. */
  'paused',
  'crash before',
  'crash after',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Incidents outside calls: of messages, of policies, of time. */
export const incidentKinds = [
  'same message twice in one batch',
  'two workers at once',
  'message sent twice',
  'delete lost',
  'delete refused: visibility over',
  'killed at its deadline',
  'moved to the dead-letter queue',
  'redriven',
  'poison message',
  'limit changed',
  'other policy field changed',
  'policy made unreadable',
  'deleted by TTL at once',
  'deleted by TTL late',
  'repeat with the same key',
  'repeat with another payload',
  'key used again after 90 days',
  'back with an unanswered booking',
  'two versions at once',
  'clock ahead',
  'clock behind',
  'clock wrong by more than a day',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

/** True where a fault can happen at a step at all. */
export function isPossible(kind: FaultKind, step: Step): boolean {
  if (kind === 'partial') return batchSteps.has(step);
  if (kind === 'unmentioned') return bulkSteps.has(step);
  return true;
}

/** The rate of each fault in one run, per call; a kind left out does not happen. */
export interface FaultRates {
  readonly rates: ReadonlyMap<FaultKind, number>;
  /** Steps at which one fault is likely, so that rare pairs are seen and several in a row. */
  readonly focuses: readonly Focus[];
}

export interface Focus {
  readonly step: Step;
  readonly kind: FaultKind;
  readonly rate: number;
  /** The span in which it is likely; always, where there is none. */
  readonly span?: FaultSpan;
}

/** The coverage of a set of runs: how often each fault met each step, and each incident happened. */
export class Coverage {
  readonly pairs = new Map<string, number>();
  readonly incidents = new Map<IncidentKind, number>();
  /** Calls by step, with or without a fault. */
  readonly calls = new Map<Step, number>();
  /** Calls by step that were made after the batch's visibility had run out. */
  readonly overdue = new Map<Step, number>();

  incident(kind: IncidentKind): void {
    this.incidents.set(kind, (this.incidents.get(kind) ?? 0) + 1);
  }
}

/** A span of time in which faults happen. */
export interface FaultSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

function isWithin(span: FaultSpan | undefined, nowMs: number): boolean {
  return span === undefined || (span.fromMs <= nowMs && nowMs < span.toMs);
}

/** Draws the fault of each call. Faults come in spans; none lasts so long that nothing would ever be done. */
export class Faults {
  readonly #prng: Prng;
  readonly #rates: FaultRates;
  readonly #coverage: Coverage;
  readonly #spans: readonly FaultSpan[];
  readonly #now: () => number;
  #isOver = false;

  constructor(of: {
    prng: Prng;
    rates: FaultRates;
    coverage: Coverage;
    faultSpans: readonly FaultSpan[];
    now: () => number;
  }) {
    this.#prng = of.prng;
    this.#rates = of.rates;
    this.#coverage = of.coverage;
    this.#spans = of.faultSpans;
    this.#now = of.now;
  }

  /** Ends all faults, to look at what is left. */
  endForGood(): void {
    this.#isOver = true;
  }

  get enabled(): boolean {
    if (this.#isOver) return false;
    const now = this.#now();
    return this.#spans.some((span) => isWithin(span, now));
  }

  draw(step: Step): FaultKind | undefined {
    this.#coverage.calls.set(step, (this.#coverage.calls.get(step) ?? 0) + 1);
    const kind = this.enabled ? this.#draw(step) : undefined;
    if (kind !== undefined) {
      const pair = `${step}|${kind}`;
      this.#coverage.pairs.set(pair, (this.#coverage.pairs.get(pair) ?? 0) + 1);
    }
    return kind;
  }

  #draw(step: Step): FaultKind | undefined {
    const { rates, focuses } = this.#rates;
    for (const focus of focuses) {
      if (!isWithin(focus.span, this.#now())) continue;
      if (focus.step === step && isPossible(focus.kind, step) && this.#prng.chance(focus.rate)) return focus.kind;
    }
    let left = this.#prng.random();
    for (const [kind, rate] of rates) {
      if (!isPossible(kind, step)) continue;
      left -= rate;
      if (left < 0) return kind;
    }
    return undefined;
  }
}
