import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Flow } from './flow.ts';
import type { ServiceFunction } from './service-function.ts';

/**
 * The senders of each queue. Functions are granted what they send; everybody else is denied by the queue's own policy,
 * whatever their roles allow. Operators may send everywhere: a redrive (`StartMessageMoveTask`) sends to the queue with
 * the credentials of whoever starts it.
 */
export function limitSenders(
  flow: Pick<Flow, 'deployment' | 'intake' | 'worker' | 'pacer' | 'queues' | 'dispatch' | 'bus' | 'reports'>,
): void {
  const { operatorArns } = flow.deployment;
  const { queues, dispatch, bus, reports } = flow;
  const [intake, worker, pacer] = [flow.intake.service, flow.worker.service, flow.pacer.service];

  const only = (queue: Queue, ...senders: readonly ServiceFunction[]): void => {
    for (const sender of senders) {
      // The batch call needs no permission of its own.
      sender.allow(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
    }
    denyUnless(queue, principals([...senders.map(({ role }) => role.roleArn), ...operatorArns]));
  };
  only(queues.bookings.queue, intake);
  only(queues.quarantine, worker, pacer);
  only(dispatch.dispatch.queue, worker, pacer);
  only(dispatch.pacing.queue, worker, pacer);
  // The rules themselves are let in where they are made.
  denyUnless(bus.events.queue, { ArnNotEquals: { 'aws:SourceArn': bus.rule.ruleArn }, ...principals(operatorArns) });
  denyUnless(reports.events.queue, {
    ArnNotEquals: { 'aws:SourceArn': reports.rule.ruleArn },
    ...principals(operatorArns),
  });
  // SQS moves dead letters by itself, and the rule puts here what the events queue did not take. Which queues SQS moves
  // from is limited by each dead-letter queue's redrive allow policy.
  for (const { deadLetters } of [queues.bookings, dispatch.dispatch, dispatch.pacing, bus.events, reports.events]) {
    denyUnless(deadLetters, { Bool: { 'aws:PrincipalIsAWSService': 'false' }, ...principals(operatorArns) });
  }
}

function principals(arns: readonly string[]): Record<string, Record<string, unknown>> {
  return arns.length === 0 ? {} : { ArnNotLike: { 'aws:PrincipalArn': arns } };
}

/** Denies sending to every principal for which all conditions hold. */
function denyUnless(queue: Queue, conditions: Record<string, Record<string, unknown>>): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      sid: 'OnlyUsherSends',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions,
    }),
  );
}
