import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RetryEnvironment } from '../backoff.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { LeaseOptions } from '../limiter/leases.ts';
import { attributes } from './attributes.ts';

/** A client of the SDK, or a document client: of either only `send` is used. */
export type DynamoDbSender = Pick<DynamoDBClient, 'send'>;

export interface DynamoDbOptions {
  readonly tableName: string;
  /**
   * The client. One of your own should give up soon: what it tries again for longer than the limiter's deadline is lost.
   * What is throttled it does not try again: that is `attempts`' alone.
   *
   * @default a client of the environment's region and credentials, each attempt of 110 ms
   */
  readonly client?: DynamoDbSender;
  /**
   * The attempts of one call, a whole number ≥ 1. A repeat that follows a lost answer finds that its write is done, unless
   * another process has written in between: then a cost may count twice. A refund is repeated only where it was throttled.
   *
   * @default 2; 1 with a client of your own, which repeats by itself
   */
  readonly attempts?: number;
  /**
   * The first part of every key, such as the one that a role may write.
   *
   * @default ''
   */
  readonly prefix?: string;
  /**
   * The name of the partition key, a string.
   *
   * @default 'pk'
   */
  readonly partitionKey?: string;
  /** The sort key, where the table has one: its name, and its value in every item of this store. */
  readonly sortKey?: { readonly name: string; readonly value: string };
  /**
   * The attribute that the table's TTL is set to.
   *
   * @default 'expiresAt'
   */
  readonly ttlAttribute?: string;
  /**
   * A refusal is remembered for this long, and what it already refuses is refused without a call: milliseconds; 0 turns
   * it off.
   *
   * @default 1000
   */
  readonly refusalCacheMs?: number;
  /**
   * The most keys whose refusal is remembered.
   *
   * @default 10,000
   */
  readonly refusalCacheSize?: number;
  /** Takes in advance, and serves from that. Off when left out; see {@link LeaseOptions} for its price. */
  readonly lease?: LeaseOptions;
  /** The pauses between attempts; the machine's own when left out. */
  readonly retry?: RetryEnvironment;
}

/** An item's place in a table: the names of its keys, and of the TTL. */
export interface Layout {
  readonly tableName: string;
  readonly prefix: string;
  readonly partitionKey: string;
  readonly sortKey: { readonly name: string; readonly value: string } | undefined;
  readonly ttlAttribute: string;
}

/** A key of 1,024 bytes and the longest limiter's name fit beside it into DynamoDB's 2,048 bytes of a partition key. */
const maxPrefixBytes = 512;

/** @throws InvalidArgumentError that names the option and what was expected */
export function layoutOf(options: DynamoDbOptions): Layout {
  const { tableName, prefix = '', partitionKey = 'pk', sortKey, ttlAttribute = 'expiresAt' } = options;
  if (typeof tableName !== 'string' || tableName === '') {
    throw new InvalidArgumentError(`tableName must be a string of at least one character (was ${String(tableName)})`);
  }
  if (typeof prefix !== 'string' || !prefix.isWellFormed() || Buffer.byteLength(prefix) > maxPrefixBytes) {
    throw new InvalidArgumentError(`prefix must be a string of at most ${maxPrefixBytes} bytes`);
  }
  if (sortKey !== undefined && (typeof sortKey.value !== 'string' || sortKey.value === '')) {
    throw new InvalidArgumentError('sortKey.value must be a string of at least one character');
  }
  const names = { partitionKey, ...(sortKey !== undefined && { 'sortKey.name': sortKey.name }), ttlAttribute };
  const taken = new Set<unknown>([attributes.blockedUntil, attributes.lastWrite]);
  for (const [option, name] of Object.entries(names)) {
    // Policies' attributes have a dot.
    if (typeof name !== 'string' || !/^[^.]{1,255}$/.test(name) || taken.has(name)) {
      throw new InvalidArgumentError(`${option} must be the name of an attribute of its own, without dots`);
    }
    taken.add(name);
  }
  return { tableName, prefix, partitionKey, sortKey, ttlAttribute };
}

/** @throws InvalidArgumentError, naming the option, for anything but a whole number ≥ `min` */
export function assertCount(option: string, value: unknown, min: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < min) {
    throw new InvalidArgumentError(`${option} must be a whole number ≥ ${min} (was ${String(value)})`);
  }
}
