import {
  type AccountStore,
  type Clock,
  CorruptItemError,
  InvalidPolicyError,
  type Policy,
  policyOf,
  type StoredAccount,
} from '@usher/limiter-core/bulk';
import { reach, UnreadableAccountError, unavailable } from './errors.ts';

/** The part of the account store that intake needs. */
export type AccountReader = Pick<AccountStore, 'readAccounts'>;

export interface PolicySourceOptions {
  readonly accounts: AccountReader;
  readonly defaultPolicy: Policy;
  readonly clock: Clock;
  /** The age up to which a policy is remembered, milliseconds. @default 30000 */
  readonly cacheMs?: number;
  /** The most policies remembered. @default 10000 */
  readonly cacheSize?: number;
}

/**
 * Reads an account with its policy, consistently.
 *
 * @throws UnreadableAccountError where an item of it is not what it should be
 */
export async function readAccount(
  { accounts, defaultPolicy }: Pick<PolicySourceOptions, 'accounts' | 'defaultPolicy'>,
  accountId: string,
): Promise<{ state: StoredAccount['state']; policy: Policy }> {
  const found = await reach('The table', () => accounts.readAccounts([accountId]));
  const account = found.get(accountId);
  if (account instanceof CorruptItemError || account instanceof InvalidPolicyError) {
    throw new UnreadableAccountError(accountId, account);
  }
  if (account === undefined || account instanceof Error) throw unavailable('The table', account);
  try {
    return { state: account.state, policy: policyOf(accountId, defaultPolicy, account.overrides) };
  } catch (error) {
    throw error instanceof InvalidPolicyError ? new UnreadableAccountError(accountId, error) : error;
  }
}

/** A memory of accounts' policies, for the window that a booking is accepted in. No decision depends on it. */
export class PolicySource {
  readonly #options: PolicySourceOptions;
  readonly #cache = new Map<string, { readonly policy: Policy; readonly readAtMs: number }>();

  constructor(options: PolicySourceOptions) {
    this.#options = options;
  }

  /** The account's policy, at most `cacheMs` old. */
  async policyOf(accountId: string): Promise<Policy> {
    const { clock, cacheMs = 30_000, cacheSize = 10_000 } = this.#options;
    const known = this.#cache.get(accountId);
    const nowMs = clock();
    // An age below 0 means that the clock went back. The entry's age is unknown then.
    if (known !== undefined && nowMs >= known.readAtMs && nowMs - known.readAtMs < cacheMs) return known.policy;
    const { policy } = await readAccount(this.#options, accountId);
    this.#cache.delete(accountId);
    this.#cache.set(accountId, { policy, readAtMs: nowMs });
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > cacheSize && oldest !== undefined) this.#cache.delete(oldest);
    return policy;
  }
}
