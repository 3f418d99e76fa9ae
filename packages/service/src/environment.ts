import { JsonText } from '@usher/contracts';
import { builtInPolicy, InvalidPolicyError, resolvePolicy, UsherError } from '@usher/limiter-core/bulk';
import { type } from 'arktype';

/** The environment lacks a variable, or one is malformed; the message names it and what was expected. */
export class InvalidConfigError extends UsherError {
  override readonly name = 'InvalidConfigError';
}

/**
 * The type of `USHER_DEFAULT_POLICY`: JSON text of overrides, which becomes the policy of every account that overrides
 * nothing itself.
 */
export const DefaultPolicy = JsonText.pipe((overrides, ctx) => {
  try {
    return resolvePolicy(builtInPolicy, overrides);
  } catch (error) {
    if (!(error instanceof InvalidPolicyError)) throw error;
    return ctx.error({ expected: 'a policy', actual: '', problem: error.problem });
  }
});

/**
 * Reads a service's environment by its schema. A variable that is undefined is one that is not there.
 *
 * @throws InvalidConfigError
 */
export function readEnvironment<T>(
  schema: (env: unknown) => T | type.errors,
  env: Readonly<Record<string, string | undefined>>,
): T {
  const read = schema(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)));
  if (read instanceof type.errors) throw new InvalidConfigError(`Invalid environment: ${read.summary}`);
  return read;
}
