import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StackOutputs } from './verify/outputs.ts';

const runbook = readFileSync(join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const shell = [...runbook.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
/** The blocks that define functions. */
const functions = shell.filter((block) => /^\w+\(\) \{/m.test(block)).join('\n');

/** A stand-in for the AWS CLI. It writes each call's arguments to stderr, and answers with what they name. */
const standIn = `
aws() {
  echo "$*" >&2
  case "$2" in
    describe-stacks) echo "$*" | sed "s/.*OutputKey=='\\([A-Za-z]*\\)'.*/https:\\/\\/sqs\\/\\1/" ;;
    get-queue-attributes) case "$4" in
      https://sqs/Unknown) return 255 ;;
      *) echo "arn:\${4##*/}" ;;
    esac ;;
  esac
}
`;

/** The calls that a line of shell makes with the runbook's functions. */
function callsOf(line: string): string[] {
  const { stderr } = spawnSync('sh', ['-c', `${standIn}\n${functions}\n${line}`], { encoding: 'utf8' });
  return stderr.split('\n').filter((call) => call !== '');
}

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
