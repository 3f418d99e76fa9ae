import { isDeepStrictEqual } from 'node:util';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  type DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { dayIndexKeys } from '@usher/contracts';
import {
  jitteredMs,
  type PolicySet,
  type RetryEnvironment,
  systemRetry,
  UnprocessedError,
} from '@usher/limiter-core/bulk';
import { keys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';

/** The accounts whose stored policies were written, were so already, and were deleted; each list in order. */
export interface PolicyChanges {
  readonly set: readonly string[];
  readonly kept: readonly string[];
  readonly removed: readonly string[];
}

const policyPrefix = keys.policy('').pk;

/** The keys by which reports find an account that has a policy and no booking. */
function indexed(accountId: string): Record<string, string> {
  const { partition, sort } = dayIndexKeys.policy(accountId);
  return { [tableDefinition.byDay.partitionKey]: partition, [tableDefinition.byDay.sortKey]: sort };
}

/**
 * Makes the table's policy items those of a set: writes those that differ, deletes those that the set does not have.
 * Without a set all stay as they are.
 */
export async function storePolicies(
  client: DynamoDBDocumentClient,
  tableName: string,
  options: { policies: PolicySet | undefined; nowMs: number; retry?: RetryEnvironment },
): Promise<PolicyChanges> {
  const { policies, nowMs, retry = systemRetry } = options;
  const stored = await readStored(client, tableName);
  if (policies === undefined) return { set: [], kept: [...stored.keys()].sort(), removed: [] };

  const { overrides } = policies;
  const isKept = (accountId: string): boolean => isDeepStrictEqual(stored.get(accountId), overrides.get(accountId));
  const changes = {
    set: [...overrides.keys()].filter((accountId) => !isKept(accountId)).sort(),
    kept: [...overrides.keys()].filter(isKept).sort(),
    removed: [...stored.keys()].filter((accountId) => !overrides.has(accountId)).sort(),
  };
  const puts = changes.set.map((accountId) => ({
    PutRequest: {
      Item: {
        ...keys.policy(accountId),
        ...indexed(accountId),
        policy: overrides.get(accountId),
        version: nowMs,
        updatedAt: new Date(nowMs).toISOString(),
        updatedBy: 'policy file',
      },
    },
  }));
  const deletes = changes.removed.map((accountId) => ({ DeleteRequest: { Key: keys.policy(accountId) } }));
  await writeAll(client, tableName, { requests: [...puts, ...deletes], retry });
  return changes;
}

/** The `policy` attribute of every policy item, by account, whatever it holds. */
async function readStored(client: DynamoDBDocumentClient, tableName: string): Promise<Map<string, unknown>> {
  const stored = new Map<string, unknown>();
  const pages = paginateScan(
    { client },
    {
      TableName: tableName,
      FilterExpression: 'begins_with(pk, :policy)',
      ExpressionAttributeValues: { ':policy': policyPrefix },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { pk, policy } of Items) stored.set(String(pk).slice(policyPrefix.length), policy);
  }
  return stored;
}

/** One line for people on the stored policies: with a file, those set, kept and removed; without one, those in force. */
export function describePolicyChanges({ set, kept, removed }: PolicyChanges, file: string | undefined): string {
  if (file === undefined) {
    if (kept.length === 0) return 'The built-in policy holds for every account.';
    return `The built-in policy is the default; ${count(kept)} of an earlier policy file stay in force.`;
  }
  return `Policies of ${file}: ${count(set)} set, ${count(kept)} kept, ${count(removed)} removed.`;
}

const namedAccounts = 5;

function count(accountIds: readonly string[]): string {
  if (accountIds.length === 0) return 'none';
  const named = accountIds.slice(0, namedAccounts).join(', ');
  const more = accountIds.length > namedAccounts ? ', …' : '';
  return `${accountIds.length} (${named}${more})`;
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** The most keys of one BatchWriteItem. */
const maxKeysPerWrite = 25;
const maxAttempts = 5;

async function writeAll(
  client: DynamoDBDocumentClient,
  tableName: string,
  { requests, retry }: { requests: WriteRequests; retry: RetryEnvironment },
): Promise<void> {
  for (let at = 0; at < requests.length; at += maxKeysPerWrite) {
    let pending: BatchWriteCommandInput['RequestItems'] = { [tableName]: requests.slice(at, at + maxKeysPerWrite) };
    for (let attempt = 1; ; attempt++) {
      const { UnprocessedItems = {} }: BatchWriteCommandOutput = await client.send(
        new BatchWriteCommand({ RequestItems: pending }),
      );
      const left = UnprocessedItems[tableName]?.length ?? 0;
      if (left === 0) break;
      if (attempt === maxAttempts) throw new UnprocessedError('BatchWriteItem', left, attempt);
      pending = UnprocessedItems;
      await retry.sleep(jitteredMs(attempt, retry.random));
    }
  }
}
