import { InvalidPolicyError, type Policy, policyOf } from '@usher/limiter-core/bulk';
import { readConfig } from '@usher/worker';
import type { DeployedResources } from './aws-deployment.ts';
import { DeploymentError } from './errors.ts';
import type { StackOutputs } from './outputs.ts';

/** The most of the table's pages that are read for policies: 1 MB each, so that a check ends and costs cents. */
export const maxPages = 2000;

/** The most accounts that a failed check names. */
const maxNamed = 20;

/** The policies that were checked. */
export interface CheckedPolicies {
  readonly accounts: number;
  /** False where the table has more pages than are read; the accounts behind them are told at run time alone. */
  readonly isComplete: boolean;
}

/**
 * Checks that each account's policy can be read as the deployed worker reads it: the overrides laid over the default of
 * this deployment. Overrides that were right can be wrong over a new default; their account would wait.
 *
 * @throws DeploymentError naming accounts and fields
 */
export async function checkPolicies(
  resources: DeployedResources,
  { TableName, WorkerFunctionName }: Pick<StackOutputs, 'TableName' | 'WorkerFunctionName'>,
): Promise<CheckedPolicies> {
  const { defaultPolicy } = readConfig(await resources.environmentOf(WorkerFunctionName));
  const problems: string[] = [];
  let accounts = 0;
  let pages = 0;
  for await (const page of resources.policiesOf(TableName)) {
    accounts += page.size;
    for (const [accountId, read] of page) problems.push(...problemsOf(accountId, read, defaultPolicy));
    pages += 1;
    if (pages >= maxPages) break;
  }
  if (problems.length > 0) {
    const more = problems.length > maxNamed ? `; and ${problems.length - maxNamed} more` : '';
    throw new DeploymentError(
      `These accounts wait, for their policies cannot be read over this deployment's default: ` +
        `${problems.slice(0, maxNamed).join('; ')}${more}. Correct their policy items, or deploy another default.`,
    );
  }
  return { accounts, isComplete: pages < maxPages };
}

function problemsOf(accountId: string, read: StoredPolicy, defaultPolicy: Policy): string[] {
  try {
    if (read instanceof Error) throw read;
    policyOf(accountId, defaultPolicy, read.overrides);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidPolicyError)) throw error;
    return [error.problem.includes(accountId) ? error.problem : `accounts.${accountId}: ${error.problem}`];
  }
}

/** An account's overrides as stored, or the error of an item that cannot be read. */
export type StoredPolicy = { readonly overrides: unknown } | Error;
