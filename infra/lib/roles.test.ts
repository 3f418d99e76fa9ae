import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { permissionsOf, prod, propertiesOf, resourcesOf } from './testing/template.ts';

const onKeys = (...patterns: string[]): string =>
  ` if ${JSON.stringify({
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns },
    Null: { 'dynamodb:LeadingKeys': 'false' },
  })}`;
const receive =
  'sqs:ChangeMessageVisibility, sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:GetQueueUrl, sqs:ReceiveMessage';
const publish = `Allow events:PutEvents on EventsBus if ${JSON.stringify({ StringEquals: { 'events:source': 'usher.quota' } })}`;

describe('the role of a service', () => {
  test('intake reads accounts, keeps headers and buckets, queues chunks, and nothing else', () => {
    expect(permissionsOf(prod(), 'IntakeRole')).toEqual([
      `Allow dynamodb:BatchGetItem on StorageTable${onKeys('account#*', 'policy#*', 'booking#*')}`,
      `Allow dynamodb:GetItem, dynamodb:UpdateItem on StorageTable${onKeys('booking#*', 'rate#*')}`,
      `Allow dynamodb:PutItem on StorageTable${onKeys('booking#*')}`,
      `Allow dynamodb:Query on StorageTable${onKeys('ledger#*')}`,
      'Allow dynamodb:Query on StorageTable/index/byAccount',
      'Allow logs:CreateLogStream, logs:PutLogEvents on IntakeLogs',
      'Allow sqs:SendMessage on BookingsQueueBookings',
    ]);
  });

  test('the worker alone may write accounts and the ledger', () => {
    expect(permissionsOf(prod(), 'WorkerRole')).toEqual([
      `Allow dynamodb:BatchGetItem on StorageTable${onKeys('account#*', 'policy#*', 'ledger#*')}`,
      `Allow dynamodb:BatchWriteItem, dynamodb:PutItem on StorageTable${onKeys('ledger#*')}`,
      `Allow dynamodb:UpdateItem on StorageTable${onKeys('account#*')}`,
      publish,
      'Allow logs:CreateLogStream, logs:PutLogEvents on WorkerLogs',
      `Allow ${receive} on BookingsQueueBookings`,
      'Allow sqs:SendMessage on BookingsQueueQuarantine, DispatchQueueDispatch, DispatchQueuePacing',
    ]);
  });

  test('the pacer passes messages on, and of the table it may claim hops alone', () => {
    expect(permissionsOf(prod(), 'PacerRole')).toEqual([
      `Allow dynamodb:UpdateItem on StorageTable${onKeys('pacing#*')}`,
      publish,
      'Allow logs:CreateLogStream, logs:PutLogEvents on PacerLogs',
      `Allow ${receive}, sqs:SendMessage on DispatchQueuePacing`,
      'Allow sqs:SendMessage on BookingsQueueQuarantine, DispatchQueueDispatch',
    ]);
  });

  test('the reporter puts facts into the table of reports, and nothing else', () => {
    expect(permissionsOf(prod(), 'ReportsReporterRole')).toEqual([
      'Allow dynamodb:BatchWriteItem on ReportsTable',
      'Allow logs:CreateLogStream, logs:PutLogEvents on ReportsReporterLogs',
      `Allow ${receive} on ReportsFacts`,
    ]);
  });

  test('the closer writes reports and reads the rest: of accounts, bookings and the ledger it may write none', () => {
    expect(permissionsOf(prod(), 'ReportsCloserRole')).toEqual([
      `Allow dynamodb:BatchGetItem on StorageTable${onKeys('account#*', 'policy#*', 'booking#*')}`,
      'Allow dynamodb:GetItem, dynamodb:PutItem, dynamodb:Query on ReportsTable',
      `Allow dynamodb:Query on StorageTable${onKeys('ledger#*')}`,
      'Allow dynamodb:Query on StorageTable/index/byDay',
      publish,
      'Allow logs:CreateLogStream, logs:PutLogEvents on ReportsCloserLogs',
      'Allow s3:GetObject, s3:PutObject on ReportsBucket/*',
      'Allow s3:ListBucket on ReportsBucket',
      'Allow sqs:GetQueueAttributes on BookingsQueueBookingsDeadLetters, DispatchQueueDispatchDeadLetters, DispatchQueuePacingDeadLetters, ReportsFactsDeadLetters',
    ]);
  });

  test('the schedule starts the closer', () => {
    expect(permissionsOf(prod(), 'ReportsScheduleRole')).toEqual([
      'Allow lambda:InvokeFunction on ReportsCloserFunction',
    ]);
  });

  test('a role is assumed by Lambda and has no managed policy', () => {
    const roles = resourcesOf(prod(), 'AWS::IAM::Role');
    expect([...roles.keys()]).toEqual([
      'IntakeRole',
      'WorkerRole',
      'PacerRole',
      'ReportsReporterRole',
      'ReportsCloserRole',
      'ReportsScheduleRole',
    ]);
    for (const name of roles.keys()) {
      const role = propertiesOf(prod(), 'AWS::IAM::Role', name);
      expect(role).not.toHaveProperty('ManagedPolicyArns');
      expect(role).toMatchObject({
        AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: `${serviceOf(name)}.amazonaws.com` } }] },
      });
    }
  });

  test('the grants are those of the commands that the services issue', () => {
    const folders = [
      'services/intake',
      'services/worker',
      'services/report',
      'packages/limiter-core',
      'packages/service',
      'packages/sqs-batch',
    ];
    // S3 guide, "Multipart upload API and permissions": to IAM the three of an upload in parts are PutObject.
    // The store of limits names its commands as a plain client does, and deletes only where a limiter is told to: none is.
    expect([...new Set(folders.flatMap(commandsIn))].toSorted()).toEqual([
      'BatchGet',
      'BatchWrite',
      'CompleteMultipartUpload',
      'CreateMultipartUpload',
      'DeleteItem',
      'Get',
      'GetItem',
      'GetObject',
      'GetQueueAttributes',
      'Put',
      'PutEvents',
      'PutObject',
      'Query',
      'SendMessageBatch',
      'Update',
      'UpdateItem',
      'UploadPart',
    ]);
  });
});

/** The service of AWS that assumes a role. */
function serviceOf(role: string): string {
  return role.includes('Schedule') ? 'scheduler' : 'lambda';
}

/** The AWS commands that a package's sources send. */
function commandsIn(folder: string): string[] {
  const source = fileURLToPath(new URL(`../../${folder}/src`, import.meta.url));
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$|^examples\/|\btesting\//.test(file),
  );
  return files.flatMap((file) =>
    [...readFileSync(`${source}/${file}`, 'utf8').matchAll(/new (\w+)Command\(/g)].map(([, command = '']) => command),
  );
}
