import { AccountId, jsonValue } from '@usher/contracts';
import { InvalidPolicyError, type PolicySet, readPolicyFile } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { PolicyFileError, TextFileError } from './errors.ts';
import { readTextFile } from './text-file.ts';

/**
 * Reads a policy file, `{"default": {…}, "accounts": {"<id>": {…}}}`; without a file the built-in default holds.
 *
 * @throws PolicyFileError
 */
export async function loadPolicies(file: string | undefined): Promise<PolicySet> {
  if (file === undefined) return readPolicyFile({});
  try {
    const policies = readPolicyFile(jsonValue(await readTextFile(file)));
    for (const accountId of policies.overrides.keys()) {
      const malformed = AccountId(accountId) instanceof type.errors;
      if (malformed) throw new InvalidPolicyError(`accounts: ${JSON.stringify(accountId)} is no account id`);
    }
    return policies;
  } catch (error) {
    if (error instanceof TextFileError) throw new PolicyFileError(`Policy file ${error.message}`, { cause: error });
    throw new PolicyFileError(`Policy file ${file} cannot be used: ${problemOf(error)}`, { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidPolicyError) return error.problem;
  return error instanceof Error ? error.message : String(error);
}
