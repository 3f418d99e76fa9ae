import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { HopClaim, HopStore } from '../hop-store.ts';
import { retention } from '../retention.ts';
import { keys } from './keys.ts';
import { expiresAt } from './ttl.ts';

export interface DynamoDbHopStoreOptions {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

/**
 * Keeps hops in DynamoDB, one item for each chunk that has slots on the pacing queue: the hop to come, and the copy that
 * won the one before. A claim is one UpdateItem. An item past its TTL still counts while it is there: losing to a claim
 * that old is right, for whoever made it has gone on.
 */
export class DynamoDbHopStore implements HopStore {
  readonly #options: DynamoDbHopStoreOptions;

  constructor(options: DynamoDbHopStoreOptions) {
    this.#options = options;
  }

  async claim(claim: HopClaim): Promise<'won' | 'lost'> {
    const { client, tableName } = this.#options;
    try {
      await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { ...keys.hop(claim) },
          UpdateExpression: 'SET hop = :next, claim = :copy, expiresAt = :expiresAt',
          ConditionExpression: 'attribute_not_exists(hop) OR hop <= :hop OR (hop = :next AND claim = :copy)',
          ExpressionAttributeValues: {
            ':hop': claim.hop,
            ':next': claim.hop + 1,
            ':copy': claim.copy,
            ':expiresAt': expiresAt(claim.neededUntilMs, retention.hopMs),
          },
        }),
      );
      return 'won';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'lost';
      throw error;
    }
  }
}
