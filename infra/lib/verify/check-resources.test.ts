import { expect, test } from 'vitest';
import type { DeployedResources } from './aws-deployment.ts';
import { checkResources } from './check-resources.ts';
import { DeploymentError } from './errors.ts';
import { queueOutputs } from './outputs.ts';

const names: Record<string, string> = {
  ApiUrl: 'https://api.example.com',
  TableName: 'table-1',
  EventBusName: 'bus-1',
  EventBusArn: 'arn:bus-1',
  EventArchiveArn: 'arn:archive-1',
  EventsRuleArn: 'arn:rule-1',
  ReportTableName: 'reports-1',
  ReportBucketName: 'bucket-1',
  ReportRuleArn: 'arn:rule-2',
  ReporterFunctionName: 'reporter-1',
  CloserFunctionName: 'closer-1',
  IntakeFunctionName: 'intake-1',
  WorkerFunctionName: 'worker-1',
  PacerFunctionName: 'pacer-1',
  AlarmTopicArn: 'arn:topic',
  ...Object.fromEntries(queueOutputs.map((name) => [name, `https://sqs.example.com/${name}`])),
};
const ofWorker = {
  USHER_TABLE: 'table-1',
  USHER_BUS: 'bus-1',
  USHER_DISPATCH_QUEUE_URL: 'https://sqs.example.com/DispatchQueueUrl',
  USHER_PACING_QUEUE_URL: 'https://sqs.example.com/PacingQueueUrl',
  USHER_QUARANTINE_QUEUE_URL: 'https://sqs.example.com/QuarantineQueueUrl',
};
const ofReport = {
  USHER_TABLE: 'table-1',
  USHER_REPORT_TABLE: 'reports-1',
  USHER_REPORT_BUCKET: 'bucket-1',
  USHER_BUS: 'bus-1',
  USHER_DEAD_LETTER_QUEUE_URLS: ['Bookings', 'Dispatch', 'Pacing', 'Report']
    .map((name) => `https://sqs.example.com/${name}DeadLettersUrl`)
    .join(),
};
const variables: Record<string, Record<string, string>> = {
  'intake-1': { USHER_TABLE: 'table-1', USHER_BOOKINGS_QUEUE_URL: 'https://sqs.example.com/BookingsQueueUrl' },
  'worker-1': ofWorker,
  'pacer-1': ofWorker,
  'reporter-1': ofReport,
  'closer-1': ofReport,
};

/** A deployment in which everything is right but what is changed. */
function deployment({
  outputs = names,
  missing = '',
  told = {},
}: {
  outputs?: Record<string, string>;
  missing?: string;
  told?: Record<string, Record<string, string>>;
}): DeployedResources {
  const exists = async (name: string): Promise<void> => {
    if (name === missing) throw Object.assign(new Error('no such thing'), { name: 'ResourceNotFoundException' });
  };
  return {
    outputsOf: async (stackName) => exists(stackName).then(() => outputs),
    environmentOf: async (name) => exists(name).then(() => ({ ...variables[name], ...told[name] })),
    describeTable: exists,
    describeBucket: exists,
    describeBus: exists,
    describeQueue: exists,
    policiesOf: async function* () {},
  };
}

test('a deployment in which all names fit is right', async () => {
  expect(await checkResources(deployment({}), 'usher-dev')).toMatchObject({ TableName: 'table-1' });
});

test.each([
  'usher-dev',
  'table-1',
  'reports-1',
  'bucket-1',
  'bus-1',
  'https://sqs.example.com/QuarantineQueueUrl',
  'https://sqs.example.com/EventsDeadLettersUrl',
  'pacer-1',
])('%s that is not there is named, with what AWS said', async (missing) => {
  const check = checkResources(deployment({ missing }), 'usher-dev');
  await expect(check).rejects.toThrow(DeploymentError);
  await expect(check).rejects.toThrow(`${missing} cannot be found: ResourceNotFoundException: no such thing`);
});

test.each([
  ['intake-1', 'USHER_BOOKINGS_QUEUE_URL'],
  ['worker-1', 'USHER_BUS'],
  ['worker-1', 'USHER_TABLE'],
  ['pacer-1', 'USHER_DISPATCH_QUEUE_URL'],
  ['closer-1', 'USHER_REPORT_BUCKET'],
  ['closer-1', 'USHER_DEAD_LETTER_QUEUE_URLS'],
])('%s that was told another %s is found out', async (name, variable) => {
  const check = checkResources(deployment({ told: { [name]: { [variable]: 'of-another-stage' } } }), 'usher-dev');
  await expect(check).rejects.toThrow(`${name} has ${variable}=of-another-stage, but the stack's`);
});

test('a stack that is not one of Usher is told by the output that it lacks', async () => {
  const { EventBusName: _, ...outputs } = names;
  await expect(checkResources(deployment({ outputs }), 'usher-dev')).rejects.toThrow('EventBusName');
});
