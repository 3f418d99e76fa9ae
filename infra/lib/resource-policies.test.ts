import { type } from 'arktype';
import { CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { contextOf, operatorArn } from './testing/contexts.ts';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';

describe('the policy of a queue or the bus', () => {
  test('nobody but the worker, the pacer and the closer can publish on the bus, whatever their roles allow', () => {
    expect(propertiesOf(prod(), 'AWS::Events::EventBusPolicy', 'EventsOnlyUsherPublishes')).toMatchObject({
      Statement: {
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'events:PutEvents',
        Resource: 'EventsBus',
        Condition: {
          ArnNotEquals: { 'aws:PrincipalArn': ['WorkerRole', 'PacerRole', 'ReportsCloserRole'] },
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
      ReportsFacts: ['*', { ArnNotEquals: { 'aws:SourceArn': 'ReportsReportedEvents' }, ...principals() }],
      ReportsFactsDeadLetters: ['*', deadLetters],
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
      ReportsFacts: 'usher-prod-report',
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
