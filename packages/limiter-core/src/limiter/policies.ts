import { InvalidArgumentError } from '../errors.ts';
import type { Policy } from './store.ts';
import type { Strategy } from './strategies/strategy.ts';

/** One strategy, or several under names of their own: a cost is taken from all of them, or from none. */
export type Strategies = Strategy | Readonly<Record<string, Strategy>>;

/** The name of a strategy that stands alone. */
export const defaultPolicyName = 'default';

const policyName = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const limiterName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const maxPolicies = 10;

/** @throws InvalidArgumentError for a name that does not set its keys apart in every store */
export function assertLimiterName(name: unknown): void {
  if (typeof name !== 'string' || !limiterName.test(name)) {
    throw new InvalidArgumentError(
      `name must be 1 to 64 letters, digits, dots, underscores and hyphens (was ${String(name)})`,
    );
  }
}

/**
 * The limits that a strategy option stands for.
 *
 * @throws InvalidArgumentError for none, more than ten, a name outside its form, or what is no strategy
 */
export function policiesOf(strategies: Strategies): readonly Policy[] {
  if (isStrategy(strategies)) return [{ name: defaultPolicyName, strategy: strategies }];
  if (typeof strategies !== 'object' || strategies === null) {
    throw new InvalidArgumentError(`strategy must be a strategy or a record of them (was ${String(strategies)})`);
  }
  const entries = Object.entries(strategies);
  if (entries.length === 0 || entries.length > maxPolicies) {
    throw new InvalidArgumentError(`strategy must have 1 to ${maxPolicies} strategies (had ${entries.length})`);
  }
  return entries.map(([name, strategy]) => {
    if (!policyName.test(name)) {
      throw new InvalidArgumentError(
        `strategy: a name must be a letter and up to 31 letters, digits, underscores and hyphens (was ${name})`,
      );
    }
    if (!isStrategy(strategy)) throw new InvalidArgumentError(`strategy.${name} must be a strategy`);
    return { name, strategy };
  });
}

const lastingLists = new WeakSet<readonly Policy[]>();

/** Declares a list to last as long as its limiter, and to stay as it is. Memory keeps such a list, to know it at sight. */
export function lasting(policies: readonly Policy[]): readonly Policy[] {
  lastingLists.add(policies);
  return policies;
}

/** Tells a list that was declared as {@link lasting}. */
export function isLasting(policies: readonly Policy[]): boolean {
  return lastingLists.has(policies);
}

function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
