import { type Traversal, type } from 'arktype';
import { InvalidPolicyError } from '../errors.ts';
import { builtInPolicy, type Policy } from './policy.ts';
import { canonicalTimezone, isTimezone } from './timezone.ts';
import { maxFillSeconds } from './token-bucket.ts';

const secondsPerDay = 86_400;

/** A name of the IANA time zone database in any case, such as `Europe/Berlin`; an offset such as `+02:00` is not one. */
const timezoneName = type('string').narrow((name, ctx) => isTimezone(name) || ctx.mustBe('an IANA time zone name'));

const thresholdList = type('(0 < number <= 1)[] <= 16').narrow(
  (list, ctx) => list.every((value, i) => value > (list[i - 1] ?? 0)) || ctx.mustBe('ascending and without repeats'),
);

/**
 * The fields of a policy, every one of them optional: what an operator writes for one account, or as the default.
 * The upper bounds keep every sum and every instant that follows from a policy within a double's exact whole numbers.
 */
export const PolicyOverrides = type({
  '+': 'reject',
  /** Cost that may be granted in one window; 0 refuses everything. */
  'dailyLimit?': '0 <= number.integer <= 100000000000',
  /** Cost per second at which granted reservations are handed on. */
  'refillPerSecond?': '0.1 <= number <= 1000000',
  /** Cost that may be handed on at once after a quiet time. */
  'burst?': '1 <= number.integer <= 1000000000',
  /** The IANA zone whose local day is the window. */
  'timezone?': timezoneName,
  /** `observe` grants what `enforce` would have rejected for the quota, and tells of it. */
  'mode?': "'enforce' | 'observe'",
  /** Shares of the daily limit, ascending, at which an event is published. */
  'thresholds?': thresholdList,
}).narrow(noList);
export type PolicyOverrides = typeof PolicyOverrides.infer;

/** A policy file: the deployment's default and overrides by account id; fields left out fall back. */
export const PolicyFile = type({
  '+': 'reject',
  'default?': PolicyOverrides,
  'accounts?': type({ '[string]': PolicyOverrides }).narrow(noList),
}).narrow(noList);
export type PolicyFile = typeof PolicyFile.infer;

/**
 * Lays overrides over a policy and checks the rules that need the whole of it.
 *
 * @throws InvalidPolicyError where a field is malformed, or where the limit could not be handed on within a day
 */
export function resolvePolicy(base: Policy, overrides: unknown): Policy {
  const parsed = PolicyOverrides(overrides);
  if (parsed instanceof type.errors) throw new InvalidPolicyError(parsed.summary);
  const laid: Policy = { ...base, ...parsed };
  const policy: Policy = { ...laid, timezone: canonicalTimezone(laid.timezone) ?? laid.timezone };
  const dispatchable = policy.burst + secondsPerDay * policy.refillPerSecond;
  if (policy.dailyLimit > dispatchable) {
    throw new InvalidPolicyError(
      `dailyLimit must be at most ${Math.floor(dispatchable)}, what burst and refillPerSecond can hand on in a day ` +
        `(was ${policy.dailyLimit})`,
    );
  }
  const mostBurst = Math.floor(policy.refillPerSecond * maxFillSeconds);
  if (policy.burst > mostBurst) {
    throw new InvalidPolicyError(
      `burst must be at most ${mostBurst}, what refills in ${maxFillSeconds} seconds (was ${policy.burst})`,
    );
  }
  return policy;
}

/** The policies of one deployment: its default and what single accounts override. */
export interface PolicySet {
  readonly defaultPolicy: Policy;
  readonly overrides: ReadonlyMap<string, PolicyOverrides>;
}

/**
 * Reads the parsed JSON of a policy file and checks every account's resulting policy.
 *
 * @throws InvalidPolicyError naming the account and the field
 */
export function readPolicyFile(json: unknown): PolicySet {
  const file = PolicyFile(json);
  if (file instanceof type.errors) throw new InvalidPolicyError(file.summary);
  const defaultPolicy = within('default', () => resolvePolicy(builtInPolicy, file.default ?? {}));
  const overrides = new Map(Object.entries(file.accounts ?? {}));
  for (const [accountId, fields] of overrides) {
    within(`accounts.${accountId}`, () => resolvePolicy(defaultPolicy, fields));
  }
  return { defaultPolicy, overrides };
}

/** An array is an object without unknown keys, and would pass for one that says nothing. */
function noList(value: object, ctx: Traversal): boolean {
  return !Array.isArray(value) || ctx.mustBe('an object');
}

function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidPolicyError) throw new InvalidPolicyError(`${place}: ${error.problem}`);
    throw error;
  }
}

/**
 * The policy of a stored account. Only an account without a policy item has the default; one whose item cannot be read
 * has none, and is not decided.
 *
 * @throws InvalidPolicyError naming the account and the field
 */
export function policyOf(accountId: string, base: Policy, overrides: unknown): Policy {
  return within(`accounts.${accountId}`, () => resolvePolicy(base, overrides === undefined ? {} : overrides));
}
