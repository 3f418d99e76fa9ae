export type { LeaseOptions } from '../limiter/leases.ts';
export { dynamoDb } from './dynamodb.ts';
export type { DynamoDbOptions, DynamoDbSender } from './options.ts';
export { type TableDefinition, tableDefinition } from './table-definition.ts';
