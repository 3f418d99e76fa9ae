import { expect, test } from 'vitest';
import { callsOf, runbook } from './testing/runbook-shell.ts';
import { StackOutputs } from './verify/outputs.ts';

/** Every redrive that the runbook tells to do. */
const redrives = [...runbook.matchAll(/`redrive (\w+) (\w+)`/g)].map(([, from = '', to = '']) => [from, to] as const);

test('a redrive moves from one queue to the other, slowly, and looks at the task', () => {
  const calls = callsOf('redrive BookingsDeadLettersUrl BookingsQueueUrl');
  expect(calls.filter((call) => call.includes('message-move-task'))).toEqual([
    'sqs start-message-move-task --source-arn arn:BookingsDeadLettersUrl --destination-arn arn:BookingsQueueUrl ' +
      '--max-number-of-messages-per-second 10',
    'sqs list-message-move-tasks --source-arn arn:BookingsDeadLettersUrl',
  ]);
  expect(calls[0]).toContain('--stack-name usher-prod ');
});

test.each([['redrive BookingsDeadLettersUrl Unknown'], ['redrive Unknown BookingsQueueUrl']])(
  '%s moves nothing',
  (line) => {
    expect(callsOf(line).filter((call) => call.includes('message-move-task'))).toEqual([]);
  },
);

test('every dead-letter queue of the stack has a redrive to the queue that it belongs to', () => {
  const queues = StackOutputs.props.map(({ key }) => String(key)).filter((name) => name.endsWith('DeadLettersUrl'));
  expect(Object.fromEntries(redrives)).toEqual(
    Object.fromEntries(queues.map((name) => [name, name.replace('DeadLettersUrl', 'QueueUrl')])),
  );
});
