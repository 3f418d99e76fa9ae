export { DynamoDbDays } from './dynamodb-days.ts';
export { DynamoDbEventFacts } from './dynamodb-event-facts.ts';
export { DynamoDbRuns } from './dynamodb-runs.ts';
export { reportTableDefinition } from './table-definition.ts';
