import { readFile } from 'node:fs/promises';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type BatchWriteCommandOutput,
  type DynamoDBDocumentClient,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { AccountId, jsonValue } from '@usher/contracts';
import {
  InvalidPolicyError,
  jitteredMs,
  keys,
  type PolicySet,
  type RetryEnvironment,
  readPolicyFile,
  systemRetry,
  UnprocessedError,
} from '@usher/limiter-core';
import { type } from 'arktype';

/** A policy file cannot be used; the message names the file, the account and the field. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/**
 * Reads a policy file, `{"default": {…}, "accounts": {"<id>": {…}}}`; without a file the built-in default holds.
 *
 * @throws PolicyFileError
 */
export async function loadPolicies(file: string | undefined): Promise<PolicySet> {
  if (file === undefined) return readPolicyFile({});
  try {
    const policies = readPolicyFile(jsonValue(await readFile(file, 'utf8')));
    for (const accountId of policies.overrides.keys()) {
      const malformed = AccountId(accountId) instanceof type.errors;
      if (malformed) throw new InvalidPolicyError(`accounts: ${JSON.stringify(accountId)} is no account id`);
    }
    return policies;
  } catch (error) {
    throw new PolicyFileError(`Policy file ${file} cannot be used: ${problemOf(error)}`, { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidPolicyError) return error.problem;
  return error instanceof Error ? error.message : String(error);
}

const maxKeysPerWrite = 25;
const maxAttempts = 5;

/** Makes the table's policy items those of the set: puts what it has, deletes what it no longer has. */
export async function storePolicies(
  client: DynamoDBDocumentClient,
  tableName: string,
  { policies, nowMs, retry = systemRetry }: { policies: PolicySet; nowMs: number; retry?: RetryEnvironment },
): Promise<void> {
  const stored = new Set<string>();
  const policySortKey = keys.policy('any').sk;
  const pages = paginateScan(
    { client },
    {
      TableName: tableName,
      FilterExpression: 'sk = :policy',
      ExpressionAttributeValues: { ':policy': policySortKey },
      ProjectionExpression: 'pk',
    },
  );
  for await (const { Items = [] } of pages) for (const { pk } of Items) stored.add(String(pk));

  const puts = [...policies.overrides].map(([accountId, policy]) => ({
    PutRequest: {
      Item: {
        ...keys.policy(accountId),
        policy,
        version: nowMs,
        updatedAt: new Date(nowMs).toISOString(),
        updatedBy: 'policy file',
      },
    },
  }));
  const kept = new Set(puts.map(({ PutRequest: { Item } }) => Item.pk));
  const deletes = [...stored]
    .filter((pk) => !kept.has(pk))
    .map((pk) => ({ DeleteRequest: { Key: { pk, sk: policySortKey } } }));
  const requests = [...puts, ...deletes];
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
