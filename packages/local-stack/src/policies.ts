import { readFile } from 'node:fs/promises';
import { BatchWriteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { AccountId } from '@usher/contracts';
import { InvalidPolicyError, keys, type PolicySet, readPolicyFile } from '@usher/limiter-core';
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
    const policies = readPolicyFile(JSON.parse(await readFile(file, 'utf8')));
    for (const accountId of policies.overrides.keys()) {
      if (AccountId(accountId) instanceof type.errors)
        throw new InvalidPolicyError('accounts: an account id is malformed');
    }
    return policies;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new PolicyFileError(`Policy file ${file} cannot be used: ${problem}`, { cause: error });
  }
}

/** Makes the table's policy items those of the set: puts what it has, deletes what it no longer has. */
export async function storePolicies(
  client: DynamoDBDocumentClient,
  tableName: string,
  { policies, nowMs }: { policies: PolicySet; nowMs: number },
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
  for (let at = 0; at < requests.length; at += 25) {
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests.slice(at, at + 25) } }));
  }
}
