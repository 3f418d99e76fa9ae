import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import * as numbers from './numbers.ts';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';
import { StackOutputs } from './verify/outputs.ts';

const root = join(import.meta.dirname, '../..');
const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
const [fences = [], prose] = [
  runbook.match(/^```[a-z]*\n[\s\S]*?^```$/gm) ?? undefined,
  runbook.replace(/^```[\s\S]*?^```$/gm, ''),
];
/** The quotations of the prose, each once; a quotation may go on in the next line. */
const quoted = [...new Set([...prose.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll('\n', ' ')))];

/** The product's own sources: all that it logs, counts, throws and sends. */
const sources = [
  'services/intake',
  'services/worker',
  'services/report',
  'packages/limiter-core',
  'packages/contracts',
  'packages/service',
  'packages/sqs-batch',
];
const text = [...sources.map((folder) => `${folder}/src`), 'infra/lib']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing/'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  )
  .join('\n')
  .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

/** Words of AWS or HTTP, with their sources. */
const foreign = new Set([
  // Lambda guide, "Troubleshoot invocation issues" and API reference.
  'Task timed out',
  'Runtime exited',
  'MaximumConcurrency',
  // SQS: API reference, common errors and queue attributes.
  'AccessDenied',
  'KMS.*',
  'FifoQueue',
  // EventBridge: API reference, PutEvents; guide, "Using dead-letter queues".
  'AccessDenied…',
  'ThrottlingException',
  'ResourceNotFoundException',
  'ERROR_CODE',
  // EventBridge guide, "Replaying archived events": a field of the envelope.
  'replay-name',
  // RFC 9110, section 10.2.3; RFC 7519, section 4.1.1.
  'Retry-After',
  'iss',
  // HTTP API guide, "Working with stages" and "Routes".
  '$default',
  // The command line itself.
  'aws',
]);

const alarmNames = [...resourcesOf(prod(), 'AWS::CloudWatch::Alarm').keys()].map((id) =>
  String(propertiesOf(prod(), 'AWS::CloudWatch::Alarm', id).AlarmName).replace('usher-prod-', ''),
);
const Numbers = type({ '[string]': 'unknown' });
const scripts = ['package.json', 'infra/package.json'].flatMap((file) =>
  Object.keys(
    type('string.json.parse')
      .to({ scripts: Numbers })
      .assert(readFileSync(join(root, file), 'utf8')).scripts,
  ),
);

/** True where a quotation names something that exists. */
function exists(quotation: string): boolean {
  const [, command, ...words] = /^(pnpm|redrive|out|aws|cdk|filter) (.+)$/.exec(quotation) ?? [];
  const [rest = ''] = words;
  switch (command) {
    case 'redrive':
      return (
        /^\w+DeadLettersUrl \w+QueueUrl$/.test(rest) && rest.split(' ').every((name) => Object.hasOwn(outputs, name))
      );
    case 'out':
      return Object.hasOwn(outputs, rest);
    case 'pnpm':
      return scripts.includes(rest.replace(/^(run|--filter infra) /, '').split(' ')[0] ?? '');
    case 'aws':
      return /^[a-z]+ [a-z-]+( --[a-z-]+ \S+)*$/.test(rest);
    case 'cdk':
      return ['diff', 'deploy', 'destroy', 'synth'].includes(rest);
    default:
      return isKnown(quotation);
  }
}

const outputs = Object.fromEntries(StackOutputs.props.map(({ key }) => [String(key), true]));

function isKnown(word: string): boolean {
  if (foreign.has(word) || Object.hasOwn(outputs, word)) return true;
  if (/^[\w.-]+(\/[\w.-]+)+$/.test(word)) return existsSync(join(root, word));
  if (/^[a-z]+(-[a-z]+)+$/.test(word)) return alarmNames.includes(word);
  if (/^[a-z]+-\*$/.test(word)) return alarmNames.some((name) => name.startsWith(word.slice(0, -1)));
  if (/^(sqs|cloudformation|events):/.test(word)) return true;
  if (/^usher-<stage>(-<heading>)?$/.test(word)) return true;
  if (['<bookingId>#<chunk>', keys.policy('<id>').pk].includes(word)) return true;
  // A JSON pointer names a field of a message.
  if (/^\/\w+$/.test(word)) return isKnown(word.slice(1));
  const [group = '', key] = word.split('.');
  if (key !== undefined && /^\w+\.\w+$/.test(word)) {
    const of = new Map<string, unknown>(Object.entries(numbers)).get(group);
    // Else a field of an event or a message.
    return of === undefined ? isKnown(group) && isKnown(key) : Object.hasOwn(Object(of), key);
  }
  // A sentence is a log message: the first argument of a call, in one of the kinds of quotes.
  if (/^[\w:]+$/.test(word)) return new RegExp(`\\b${word.replace(':', '')}\\b`).test(text);
  return new RegExp(`\\.(error|warn|info)\\(\\s*(['"\`])${word}\\2`).test(text);
}

describe('the runbook', () => {
  test('quotes log messages, metrics, errors, settings, outputs and commands that there are', () => {
    expect(quoted.length).toBeGreaterThan(60);
    expect(quoted.filter((quotation) => !exists(quotation))).toEqual([]);
  });

  test('quotes the line that tells of a wrong clock', () => {
    expect(runbook).toContain('`A bucket was scheduled by a wrong clock`');
  });

  test('would not quote what is not there', () => {
    const invented = ['Messages were lost', 'GrantedRows', 'docs/operations.md', 'intake.memoryGb', 'worker-tired'];
    const commands = ['pnpm run verify', 'redrive BookingsDeadLettersUrl', 'out BookingsUrl', 'cdk ls'];
    expect([...invented, ...commands].filter(exists)).toEqual([]);
  });

  test('asks the logs for fields that are logged', () => {
    const [query = ''] = fences.filter((fence) => fence.includes('fields @timestamp'));
    const fields = /^fields (.+)$/m.exec(query)?.[1]?.split(', ') ?? [];
    const ofLogger = ['@timestamp', 'level', 'message', 'error.name', 'error.message'];
    expect(fields.length).toBeGreaterThan(ofLogger.length);
    for (const field of fields)
      expect(ofLogger.includes(field) || new RegExp(`\\b${field}\\b`).test(text), field).toBe(true);
  });
});
