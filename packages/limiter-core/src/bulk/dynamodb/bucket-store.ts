import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ContentionError, CorruptItemError } from '../../errors.ts';
import { type BucketStore, boundsOf, type Take, type Taken, takeMicros } from '../bucket-store.ts';
import { retention } from '../retention.ts';
import { type ItemKey, keys } from './keys.ts';
import { expiresAt } from './ttl.ts';

export interface DynamoDbBucketStoreOptions {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  /** Sets the buckets of one limiter apart from those of another in the same table. */
  readonly name: string;
}

/** Each lost round means that another caller's take went through, or that the bucket filled up just then. */
const maxRounds = 5;

/**
 * Keeps token buckets in DynamoDB, one item each. A take is one conditional UpdateItem, which either starts a full
 * bucket (its TAT lies behind, or there is none) or moves a TAT that lies ahead by ADDition; an update expression knows
 * no maximum that would do both. A denial writes nothing, except where the bucket owed more than it can.
 */
export class DynamoDbBucketStore implements BucketStore {
  readonly #options: DynamoDbBucketStoreOptions;

  constructor(options: DynamoDbBucketStoreOptions) {
    this.#options = options;
  }

  async take(request: Take): Promise<Taken> {
    const { increment, tolerance } = takeMicros(request);
    const nowMicros = request.nowMs * 1000;
    const key = keys.bucket(this.#options.name, request.key);
    const latest = nowMicros + tolerance;
    const { emptyMicros, latestMicros } = boundsOf(request);
    const expiry = { ':expiresAt': expiresAt((latest + increment) / 1000, retention.bucketMs) };
    const values = { ':now': nowMicros, ...expiry };
    for (let round = 0; round < maxRounds; round++) {
      const started = await this.#update(key, {
        UpdateExpression: 'SET tat = :tat, expiresAt = :expiresAt',
        ConditionExpression: 'attribute_not_exists(pk) OR tat < :now',
        ExpressionAttributeValues: { ...values, ':tat': nowMicros + increment },
      });
      if (started) return { taken: true, tatMicros: nowMicros + increment };

      const moved = await this.#update(key, {
        UpdateExpression: 'SET tat = tat + :increment, expiresAt = :expiresAt',
        ConditionExpression: 'tat BETWEEN :now AND :latest',
        ExpressionAttributeValues: { ...values, ':increment': increment, ':latest': latest },
      });
      if (moved) return { taken: true, tatMicros: tatOf(moved, key) };

      const { Item } = await this.#options.client.send(
        new GetCommand({ TableName: this.#options.tableName, Key: { ...key }, ConsistentRead: true }),
      );
      const tatMicros = Item === undefined ? 0 : tatOf(Item, key);
      if (tatMicros > latest && tatMicros <= latestMicros) return { taken: false, tatMicros };
      const emptied = await this.#update(key, {
        UpdateExpression: 'SET tat = :tat, expiresAt = :expiresAt',
        ConditionExpression: 'tat > :latest',
        ExpressionAttributeValues: { ...expiry, ':tat': emptyMicros, ':latest': latestMicros },
      });
      if (emptied) return { taken: false, tatMicros: emptyMicros };
    }
    throw new ContentionError(request.key, maxRounds);
  }

  /** The item as written, or undefined where the condition did not hold. */
  async #update(
    key: ItemKey,
    update: {
      UpdateExpression: string;
      ConditionExpression: string;
      ExpressionAttributeValues: Record<string, number>;
    },
  ): Promise<Record<string, unknown> | undefined> {
    try {
      const { Attributes } = await this.#options.client.send(
        new UpdateCommand({
          TableName: this.#options.tableName,
          Key: { ...key },
          ReturnValues: 'UPDATED_NEW',
          ...update,
        }),
      );
      return Attributes ?? {};
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

function tatOf(item: Readonly<Record<string, unknown>>, key: ItemKey): number {
  if (typeof item.tat !== 'number') throw new CorruptItemError(key.pk, 'tat must be a number');
  return item.tat;
}
