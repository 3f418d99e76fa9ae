export type { Fault, Intercept, InterceptedCall, ServiceName } from './endpoints/intercept.ts';
export { type Endpoints, type EndpointsOptions, startEndpoints } from './endpoints/start-endpoints.ts';
export { type Poller, type PollOptions, pollQueue, type SqsBatchHandler } from './poll.ts';
export { failedIdsOf } from './poll-answer.ts';
export { type LambdaSqsEvent, toSqsEvent } from './poll-event.ts';
export { createResources, type QueueAddress, type Queues, tableName } from './resources.ts';
export { type Stack, type StackClients, type StackOptions, startStack } from './stack.ts';
export { createStackLog } from './stack-log.ts';
export { type PolicyChanges, storePolicies } from './stored-policies.ts';
