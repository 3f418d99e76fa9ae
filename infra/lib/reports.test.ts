import { reportedDetailTypes } from '@usher/report';
import { expect, test } from 'vitest';
import { closer } from './numbers.ts';
import { operatorArn } from './testing/contexts.ts';
import { prod, propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

const statementsOf = (kind: string, name: string): unknown => propertiesOf(prod(), kind, name).PolicyDocument;

test('the rule puts the events of reports on their queue, and on its dead letters what the queue does not take', () => {
  expect(propertiesOf(prod(), 'AWS::Events::Rule', 'ReportsReportedEvents')).toMatchObject({
    EventBusName: 'EventsBus',
    EventPattern: { source: ['usher.quota'], 'detail-type': reportedDetailTypes },
    State: 'ENABLED',
    Targets: [{ Arn: 'ReportsFacts', DeadLetterConfig: { Arn: 'ReportsFactsDeadLetters' } }],
  });
});

test.each(['ReportsFacts', 'ReportsFactsDeadLetters'])('%s takes messages of that rule', (queue) => {
  expect(statementsOf('AWS::SQS::QueuePolicy', `${queue}Policy`)).toMatchObject({
    Statement: expect.arrayContaining([
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': 'ReportsReportedEvents' } },
        Resource: queue,
      }),
    ]),
  });
});

test('the schedule starts the closer at each quarter of an hour, and repeats nothing: the next run does', () => {
  expect(propertiesOf(prod(), 'AWS::Scheduler::Schedule', 'ReportsSchedule')).toMatchObject({
    ScheduleExpression: `cron(0/${closer.everyMinutes} * * * ? *)`,
    ScheduleExpressionTimezone: 'Etc/UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: 'ReportsCloserFunction',
      RoleArn: 'ReportsScheduleRole',
      RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 * closer.everyMinutes },
    },
  });
  expect(
    propertiesOf(prod(), 'AWS::Lambda::EventInvokeConfig', 'ReportsCloserFunctionEventInvokeConfig'),
  ).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 * closer.everyMinutes });
});

test('the role of the schedule is for schedules of this AWS account', () => {
  expect(propertiesOf(prod(), 'AWS::IAM::Role', 'ReportsScheduleRole')).toMatchObject({
    AssumeRolePolicyDocument: {
      Statement: [{ Condition: { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } } }],
    },
  });
});

test('the bucket is private, encrypted, and keeps what is written over for 30 days', () => {
  expect(propertiesOf(prod(), 'AWS::S3::Bucket', 'ReportsBucket')).toMatchObject({
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    },
    VersioningConfiguration: { Status: 'Enabled' },
    LifecycleConfiguration: {
      Rules: [
        {
          Status: 'Enabled',
          NoncurrentVersionExpiration: { NoncurrentDays: 30 },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    },
  });
});

test('the bucket refuses calls without TLS, and files of everybody but the closer and operators', () => {
  const all = { Effect: 'Deny', Principal: { AWS: '*' } };
  expect(statementsOf('AWS::S3::BucketPolicy', 'ReportsBucketPolicy')).toMatchObject({
    Statement: [
      { ...all, Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      {
        ...all,
        Action: 's3:PutObject',
        Resource: 'ReportsBucket/*',
        Condition: { ArnNotLike: { 'aws:PrincipalArn': ['ReportsCloserRole', operatorArn] } },
      },
    ],
  });
});

test.each(['dev', 'prod'] as const)(
  'the bucket of %s stays when the stack goes: S3 deletes none with files',
  (stage) => {
    expect(resourcesOf(templateOf(stage), 'AWS::S3::Bucket').get('ReportsBucket')).toMatchObject({
      DeletionPolicy: 'Retain',
    });
  },
);

test('the table of reports forgets in time, and else is kept as the table of accounts is', () => {
  const kind = 'AWS::DynamoDB::GlobalTable';
  expect(propertiesOf(prod(), kind, 'ReportsTable')).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    Replicas: [
      { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ],
  });
  expect(resourcesOf(prod(), kind).get('ReportsTable')).toMatchObject({ DeletionPolicy: 'Retain' });
  expect(resourcesOf(templateOf('dev'), kind).get('ReportsTable')).toMatchObject({ DeletionPolicy: 'Delete' });
});
