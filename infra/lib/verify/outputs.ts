import { type } from 'arktype';

/** The stack's outputs, by name. */
export const StackOutputs = type({
  ApiUrl: 'string.url',
  TableName: 'string > 0',
  EventBusName: 'string > 0',
  EventBusArn: 'string > 0',
  EventArchiveArn: 'string > 0',
  EventsRuleArn: 'string > 0',
  BookingsQueueUrl: 'string.url',
  BookingsDeadLettersUrl: 'string.url',
  QuarantineQueueUrl: 'string.url',
  DispatchQueueUrl: 'string.url',
  DispatchDeadLettersUrl: 'string.url',
  PacingQueueUrl: 'string.url',
  PacingDeadLettersUrl: 'string.url',
  EventsQueueUrl: 'string.url',
  EventsDeadLettersUrl: 'string.url',
  ReportTableName: 'string > 0',
  ReportBucketName: 'string > 0',
  ReportRuleArn: 'string > 0',
  ReportQueueUrl: 'string.url',
  ReportDeadLettersUrl: 'string.url',
  IntakeFunctionName: 'string > 0',
  WorkerFunctionName: 'string > 0',
  PacerFunctionName: 'string > 0',
  ReporterFunctionName: 'string > 0',
  CloserFunctionName: 'string > 0',
  AlarmTopicArn: 'string > 0',
});
export type StackOutputs = typeof StackOutputs.infer;

/** Outputs by the variable that holds one of them, or several with a comma between. */
type Variables = Readonly<Record<string, keyof StackOutputs | readonly (keyof StackOutputs)[]>>;

const workerVariables = {
  USHER_TABLE: 'TableName',
  USHER_BUS: 'EventBusName',
  USHER_DISPATCH_QUEUE_URL: 'DispatchQueueUrl',
  USHER_PACING_QUEUE_URL: 'PacingQueueUrl',
  USHER_QUARANTINE_QUEUE_URL: 'QuarantineQueueUrl',
} as const satisfies Variables;

const reportVariables = {
  USHER_TABLE: 'TableName',
  USHER_REPORT_TABLE: 'ReportTableName',
  USHER_REPORT_BUCKET: 'ReportBucketName',
  USHER_BUS: 'EventBusName',
  USHER_DEAD_LETTER_QUEUE_URLS: [
    'BookingsDeadLettersUrl',
    'DispatchDeadLettersUrl',
    'PacingDeadLettersUrl',
    'ReportDeadLettersUrl',
  ],
} as const satisfies Variables;

/** The outputs that each variable of each function must hold. */
export const expectedVariables = {
  IntakeFunctionName: { USHER_TABLE: 'TableName', USHER_BOOKINGS_QUEUE_URL: 'BookingsQueueUrl' },
  WorkerFunctionName: workerVariables,
  PacerFunctionName: workerVariables,
  ReporterFunctionName: reportVariables,
  CloserFunctionName: reportVariables,
} as const satisfies Partial<Record<keyof StackOutputs, Variables>>;

/** The outputs that name a function. */
export const functionOutputs = [
  'IntakeFunctionName',
  'WorkerFunctionName',
  'PacerFunctionName',
  'ReporterFunctionName',
  'CloserFunctionName',
] as const satisfies readonly (keyof typeof expectedVariables)[];

/** The outputs that name a queue. */
export const queueOutputs = [
  'BookingsQueueUrl',
  'BookingsDeadLettersUrl',
  'QuarantineQueueUrl',
  'DispatchQueueUrl',
  'DispatchDeadLettersUrl',
  'PacingQueueUrl',
  'PacingDeadLettersUrl',
  'EventsQueueUrl',
  'EventsDeadLettersUrl',
  'ReportQueueUrl',
  'ReportDeadLettersUrl',
] as const satisfies readonly (keyof StackOutputs)[];
