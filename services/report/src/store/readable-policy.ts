import { InvalidPolicyError, type Policy, policyOf } from '@usher/limiter-core/bulk';

/** The policy of an account; undefined where it cannot be read, under which nothing is decided. */
export function readablePolicy(accountId: string, base: Policy, overrides: unknown): Policy | undefined {
  try {
    return policyOf(accountId, base, overrides);
  } catch (error) {
    if (error instanceof InvalidPolicyError) return undefined;
    throw error;
  }
}
