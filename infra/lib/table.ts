import { keys, limitKeys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';

const { partitionKey, sortKey, ttlAttribute, byAccount, byDay } = tableDefinition;
const text = (name: string): { name: string; type: AttributeType } => ({ name, type: AttributeType.STRING });

/** The partition keys of each kind of item, as patterns of `dynamodb:LeadingKeys`. */
const leadingKeys = {
  account: keys.account('*').pk,
  policy: keys.policy('*').pk,
  booking: keys.header('*').pk,
  ledger: keys.ledgerPartition('*'),
  pacing: keys.hopPartition('*'),
  rate: `${limitKeys.prefix}*`,
} as const;

/** Accounts, policies, bookings and the ledger. */
export class UsherTable extends Construct {
  readonly table: TableV2;
  readonly indexName = byAccount.indexName;
  readonly dayIndexName = byDay.indexName;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      timeToLiveAttribute: ttlAttribute,
      billing: Billing.onDemand(),
      // The account item decides what may be granted; a bad write is undone to the second.
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      deletionProtection: settings.isProtected,
      removalPolicy: settings.removalPolicy,
      globalSecondaryIndexes: [
        {
          indexName: byAccount.indexName,
          partitionKey: text(byAccount.partitionKey),
          sortKey: text(byAccount.sortKey),
          projectionType: ProjectionType[byAccount.projection],
        },
        {
          indexName: byDay.indexName,
          partitionKey: text(byDay.partitionKey),
          sortKey: text(byDay.sortKey),
          projectionType: ProjectionType[byDay.projection],
          nonKeyAttributes: [...byDay.nonKeyAttributes],
        },
      ],
    });
  }

  /**
   * Lets a function do these actions to items of these kinds, and to no others. The kinds of one BatchGetItem stand in
   * one call: each statement by itself has to allow all keys of a request.
   */
  allow(to: ServiceFunction, actions: readonly string[], kinds: readonly (keyof typeof leadingKeys)[]): void {
    to.allow(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
        // ForAllValues holds for no key at all as well, so Null asks that there are some. Put, update and get are also
        // granted inside a transaction, of whose keys the guide says nothing (IAM guide, "Multivalued context key
        // examples"; DynamoDB guide, "Using IAM with DynamoDB transactions").
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': kinds.map((kind) => leadingKeys[kind]) },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
  }

  /** Lets a function list bookings: by the index, which holds keys of headers only. */
  allowList(to: ServiceFunction): void {
    this.#allowQuery(to, this.indexName);
  }

  /** Lets a function list the bookings of a day, and policies: by the index, which holds no other items. */
  allowDays(to: ServiceFunction): void {
    this.#allowQuery(to, this.dayIndexName);
  }

  #allowQuery(to: ServiceFunction, indexName: string): void {
    const resources = [`${this.table.tableArn}/index/${indexName}`];
    to.allow(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
  }
}
