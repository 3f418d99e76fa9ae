import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type } from 'arktype';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { contextOf, operatorArn } from './testing/contexts.ts';
import { permissionsOf, prod, propertiesOf, resourcesOf } from './testing/template.ts';

const onKeys = (...patterns: string[]): string =>
  ` if ${JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } })}`;
const receive =
  'sqs:ChangeMessageVisibility, sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:GetQueueUrl, sqs:ReceiveMessage';
const publish = `Allow events:PutEvents on EventsBus if ${JSON.stringify({ StringEquals: { 'events:source': 'usher.quota' } })}`;

describe('least privilege', () => {
  test('intake reads accounts, keeps headers and buckets, queues chunks, and nothing else', () => {
    expect(permissionsOf(prod(), 'IntakeRole')).toEqual([
      `Allow dynamodb:BatchGetItem on StorageTable${onKeys('account#*')}`,
      `Allow dynamodb:GetItem, dynamodb:UpdateItem on StorageTable${onKeys('booking#*', 'rate#*#*')}`,
      `Allow dynamodb:PutItem, dynamodb:Query on StorageTable${onKeys('booking#*')}`,
      'Allow dynamodb:Query on StorageTable/index/byAccount',
      'Allow logs:CreateLogStream, logs:PutLogEvents on IntakeLogs',
      'Allow sqs:SendMessage on BookingsQueueBookings',
    ]);
  });

  test('the worker alone may write accounts and the ledger', () => {
    expect(permissionsOf(prod(), 'WorkerRole')).toEqual([
      `Allow dynamodb:BatchGetItem on StorageTable${onKeys('account#*', 'booking#*')}`,
      `Allow dynamodb:BatchWriteItem, dynamodb:PutItem on StorageTable${onKeys('booking#*')}`,
      `Allow dynamodb:UpdateItem on StorageTable${onKeys('account#*')}`,
      publish,
      'Allow logs:CreateLogStream, logs:PutLogEvents on WorkerLogs',
      `Allow ${receive} on BookingsQueueBookings`,
      'Allow sqs:SendMessage on BookingsQueueQuarantine, DispatchQueueDispatch, DispatchQueuePacing',
    ]);
  });

  test('the pacer passes messages on and may not touch the table', () => {
    expect(permissionsOf(prod(), 'PacerRole')).toEqual([
      publish,
      'Allow logs:CreateLogStream, logs:PutLogEvents on PacerLogs',
      `Allow ${receive}, sqs:SendMessage on DispatchQueuePacing`,
      'Allow sqs:SendMessage on BookingsQueueQuarantine, DispatchQueueDispatch',
    ]);
  });

  test('a role is assumed by Lambda and has no managed policy', () => {
    const roles = resourcesOf(prod(), 'AWS::IAM::Role');
    expect([...roles.keys()]).toEqual(['IntakeRole', 'WorkerRole', 'PacerRole']);
    for (const name of roles.keys()) {
      const role = propertiesOf(prod(), 'AWS::IAM::Role', name);
      expect(role).not.toHaveProperty('ManagedPolicyArns');
      expect(role).toMatchObject({
        AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'lambda.amazonaws.com' } }] },
      });
    }
  });

  test('the grants are those of the commands that the services issue', () => {
    const folders = [
      'services/intake',
      'services/worker',
      'packages/limiter-core',
      'packages/service',
      'packages/sqs-batch',
    ];
    expect([...new Set(folders.flatMap(commandsIn))].toSorted()).toEqual([
      'BatchGet',
      'BatchWrite',
      'Get',
      'Put',
      'PutEvents',
      'Query',
      'SendMessageBatch',
      'Update',
    ]);
  });
});

describe('policies of resources', () => {
  test('nobody but the worker and the pacer can publish on the bus, whatever their roles allow', () => {
    expect(propertiesOf(prod(), 'AWS::Events::EventBusPolicy', 'EventsOnlyUsherPublishes')).toMatchObject({
      Statement: {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'events:PutEvents',
        Resource: 'EventsBus',
        Condition: {
          ArnNotEquals: { 'aws:PrincipalArn': ['WorkerRole', 'PacerRole'] },
          Bool: { 'aws:PrincipalIsAWSService': 'false' },
        },
      },
    });
  });

  test('nobody but its senders and operators can send to a queue, whatever their roles allow', () => {
    const principals = (...roles: string[]) => ({ ArnNotLike: { 'aws:PrincipalArn': [...roles, operatorArn] } });
    const deadLetters = { Bool: { 'aws:PrincipalIsAWSService': 'false' }, ...principals() };
    const refusals = [...resourcesOf(prod(), 'AWS::SQS::QueuePolicy').keys()].flatMap((name) => {
      const { PolicyDocument } = propertiesOf(prod(), 'AWS::SQS::QueuePolicy', name);
      return refusalsOf(PolicyDocument).map(({ Condition, Resource, Principal }) => [
        Resource,
        [Principal.AWS, Condition],
      ]);
    });
    expect(Object.fromEntries(refusals)).toEqual({
      BookingsQueueBookings: ['*', principals('IntakeRole')],
      BookingsQueueBookingsDeadLetters: ['*', deadLetters],
      BookingsQueueQuarantine: ['*', principals('WorkerRole', 'PacerRole')],
      DispatchQueueDispatch: ['*', principals('WorkerRole', 'PacerRole')],
      DispatchQueueDispatchDeadLetters: ['*', deadLetters],
      DispatchQueuePacing: ['*', principals('WorkerRole', 'PacerRole')],
      DispatchQueuePacingDeadLetters: ['*', deadLetters],
      Events: ['*', { ArnNotEquals: { 'aws:SourceArn': 'EventsAllEvents' }, ...principals() }],
      EventsEventsDeadLetters: ['*', deadLetters],
    });
  });

  test('without operators nobody but the senders can send', () => {
    const { stack } = createApp(contextOf('dev', { operatorArns: undefined }));
    const policies = stack.node.findAll().filter((construct) => construct instanceof CfnQueuePolicy);
    const conditions = policies
      .flatMap((policy) => refusalsOf(stack.resolve(policy.policyDocument)))
      .map(({ Condition }) => Condition);
    expect(conditions).toHaveLength(resourcesOf(prod(), 'AWS::SQS::Queue').size);
    expect(JSON.stringify(conditions)).not.toContain(operatorArn);
    // A Deny without a condition would refuse intake and worker as well.
    for (const condition of conditions) expect(Object.keys(Object(condition))).toHaveLength(1);
  });

  test('a dead-letter queue takes the dead letters of its own queue, every other queue takes none', () => {
    const nameOf: Record<string, string> = {
      BookingsQueueBookings: 'usher-prod-bookings.fifo',
      DispatchQueueDispatch: 'usher-prod-dispatch',
      DispatchQueuePacing: 'usher-prod-pacing',
      Events: 'usher-prod-events',
    };
    for (const name of resourcesOf(prod(), 'AWS::SQS::Queue').keys()) {
      const { RedriveAllowPolicy, QueueName } = propertiesOf(prod(), 'AWS::SQS::Queue', name);
      expect(QueueName, name).toBe(nameOf[name]);
      const [, source] = /^(.+?)(?:Events)?DeadLetters$/.exec(name) ?? [];
      const arn = `arn:AWS::Partition:sqs:AWS::Region:AWS::AccountId:${nameOf[source ?? '']}`;
      expect(RedriveAllowPolicy, name).toEqual(
        source === undefined
          ? { redrivePermission: 'denyAll' }
          : { redrivePermission: 'byQueue', sourceQueueArns: [arn] },
      );
    }
  });

  test('every queue refuses calls without TLS', () => {
    const policies = [...resourcesOf(prod(), 'AWS::SQS::QueuePolicy').keys()];
    expect(policies).toHaveLength(resourcesOf(prod(), 'AWS::SQS::Queue').size);
    for (const name of policies) {
      expect(propertiesOf(prod(), 'AWS::SQS::QueuePolicy', name).PolicyDocument).toMatchObject({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Effect: 'Deny',
            Action: 'sqs:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      });
    }
  });
});

const Policy = type({
  Statement: type({
    Effect: 'string',
    Action: 'string | string[]',
    Principal: { 'AWS?': 'string' },
    Resource: 'unknown',
    'Condition?': 'unknown',
  }).array(),
});

/** The statements that refuse sending. */
function refusalsOf(policy: unknown): (typeof Policy.infer)['Statement'] {
  return Policy.assert(policy).Statement.filter(
    ({ Effect, Action }) => Effect === 'Deny' && Action === 'sqs:SendMessage',
  );
}

/** The AWS commands that a package's sources send. */
function commandsIn(folder: string): string[] {
  const source = fileURLToPath(new URL(`../../${folder}/src`, import.meta.url));
  const files = readdirSync(source, { withFileTypes: true }).filter(
    (file) => file.isFile() && file.name.endsWith('.ts') && !file.name.endsWith('.test.ts'),
  );
  return files.flatMap(({ name }) =>
    [...readFileSync(`${source}/${name}`, 'utf8').matchAll(/new (\w+)Command\(/g)].map(([, command = '']) => command),
  );
}
