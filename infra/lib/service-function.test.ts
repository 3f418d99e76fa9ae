import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { closer, intake, pacer, reporter, worker } from './numbers.ts';
import { contextOf } from './testing/contexts.ts';
import { prod, propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

const functionType = 'AWS::Lambda::Function';
const functionNames = [
  'IntakeFunction',
  'WorkerFunction',
  'PacerFunction',
  'ReportsReporterFunction',
  'ReportsCloserFunction',
];

test('there are five functions, all on Node 24 and arm64', () => {
  expect([...resourcesOf(prod(), functionType).keys()]).toEqual(functionNames);
  for (const name of functionNames) {
    const properties = propertiesOf(prod(), functionType, name);
    expect(properties, name).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  }
});

test('each function runs its handler within its timeout and memory', () => {
  const settings = functionNames.map((name) => {
    const { Handler, Timeout, MemorySize } = propertiesOf(prod(), functionType, name);
    return [name, Handler, Timeout, MemorySize];
  });
  expect(settings).toEqual([
    ['IntakeFunction', 'index.handler', 25, 1024],
    ['WorkerFunction', 'index.settleHandler', 30, 512],
    ['PacerFunction', 'index.paceHandler', 30, 512],
    ['ReportsReporterFunction', 'index.consumeHandler', 30, 256],
    ['ReportsCloserFunction', 'index.closeHandler', 780, 1024],
  ]);
});

test('each function has executions of its own, which nobody else can use up', () => {
  const reserved = functionNames.map((name) => propertiesOf(prod(), functionType, name).ReservedConcurrentExecutions);
  expect(reserved).toEqual([
    intake.reservedConcurrency,
    worker.maxConcurrency,
    pacer.maxConcurrency,
    reporter.maxConcurrency,
    closer.maxConcurrency,
  ]);
});

test('no function has executions of its own where an AWS account has too few to reserve', () => {
  const { stack } = createApp(contextOf('prod', { reserveConcurrency: false }));
  const functions = stack.node.findAll().filter((construct) => construct instanceof CfnFunction);
  expect(functions).toHaveLength(functionNames.length);
  for (const { reservedConcurrentExecutions } of functions) expect(reservedConcurrentExecutions).toBeUndefined();
});

test('functions are told the names that the stack gave', () => {
  const common = {
    NODE_OPTIONS: '--enable-source-maps',
    POWERTOOLS_METRICS_NAMESPACE: 'Usher/prod',
    USHER_TABLE: 'StorageTable',
    USHER_DEFAULT_POLICY: '{"dailyLimit":500}',
  };
  const ofWorker = {
    ...common,
    USHER_BUS: 'EventsBus',
    USHER_DISPATCH_QUEUE_URL: 'DispatchQueueDispatch',
    USHER_PACING_QUEUE_URL: 'DispatchQueuePacing',
    USHER_QUARANTINE_QUEUE_URL: 'BookingsQueueQuarantine',
  };
  const ofReport = {
    ...common,
    USHER_BUS: 'EventsBus',
    USHER_REPORT_TABLE: 'ReportsTable',
    USHER_REPORT_BUCKET: 'ReportsBucket',
    USHER_DEAD_LETTER_QUEUE_URLS: [
      'BookingsQueueBookingsDeadLetters',
      'DispatchQueueDispatchDeadLetters',
      'DispatchQueuePacingDeadLetters',
      'ReportsFactsDeadLetters',
    ].join(','),
  };
  const told = functionNames.map((name) => propertiesOf(prod(), functionType, name).Environment);
  expect(told).toEqual([
    {
      Variables: {
        ...common,
        USHER_BOOKINGS_QUEUE_URL: 'BookingsQueueBookings',
        USHER_ACCOUNT_CLAIM: 'partner_id',
        USHER_SUBMISSION_BURST: '300',
        USHER_SUBMISSION_REFILL: '30',
      },
    },
    { Variables: ofWorker },
    { Variables: ofWorker },
    { Variables: ofReport },
    { Variables: ofReport },
  ]);
});

test('event sources report single failures, take ten messages and stop at a concurrency', () => {
  const sources = resourcesOf(prod(), 'AWS::Lambda::EventSourceMapping');
  const settings = [...sources.keys()].map((name) => {
    const {
      FunctionName,
      EventSourceArn,
      Tags: _,
      ...rest
    } = propertiesOf(prod(), 'AWS::Lambda::EventSourceMapping', name);
    return [FunctionName, EventSourceArn, rest];
  });
  const reporting = { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] };
  expect(settings).toEqual([
    ['WorkerFunction', 'BookingsQueueBookings', { ...reporting, ScalingConfig: { MaximumConcurrency: 50 } }],
    ['PacerFunction', 'DispatchQueuePacing', { ...reporting, ScalingConfig: { MaximumConcurrency: 10 } }],
    ['ReportsReporterFunction', 'ReportsFacts', { ...reporting, ScalingConfig: { MaximumConcurrency: 5 } }],
  ]);
});

test.each([
  ['dev', 7],
  ['prod', 90],
] as const)('every log of %s is forgotten after %d days', (stage, days) => {
  const logs = resourcesOf(templateOf(stage), 'AWS::Logs::LogGroup');
  expect([...logs.keys()]).toEqual([
    'IntakeLogs',
    'HttpAccessLog',
    'WorkerLogs',
    'PacerLogs',
    'ReportsReporterLogs',
    'ReportsCloserLogs',
  ]);
  for (const { Properties } of logs.values()) expect(Properties).toMatchObject({ RetentionInDays: days });
});

test('each function writes to the log group that its role may write to', () => {
  const groups = functionNames.map((name) => propertiesOf(prod(), functionType, name).LoggingConfig);
  expect(groups).toEqual(
    ['IntakeLogs', 'WorkerLogs', 'PacerLogs', 'ReportsReporterLogs', 'ReportsCloserLogs'].map((LogGroup) => ({
      LogGroup,
    })),
  );
});
