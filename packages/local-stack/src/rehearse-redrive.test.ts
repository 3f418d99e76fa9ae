import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '@usher/limiter-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Stack, startStack } from './stack.ts';

const root = join(import.meta.dirname, '../../..');
let dataDir: string;
let stack: Stack;
let said: string[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'usher-rehearsal-'));
  said = [];
  const keep = (message: string) => void said.push(message);
  const log = { info: () => {}, warn: keep, error: keep };
  stack = await startStack({ dataDir, port: 0, policies: undefined, clock: systemClock, log });
});
afterEach(async () => {
  await stack.close();
  await rm(dataDir, { recursive: true });
});

test("the runbook's rehearsal of a redrive ends with the decision", async () => {
  const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  const [, ...named] = /^npx -y pnpm@12 rehearse (--\w+) \S+ (--\w+) \S+$/m.exec(runbook) ?? [];
  expect(named).toEqual(['--sqs', '--dynamodb']);
  const { sqsUrl, dynamoDbUrl } = stack.endpoints;
  const script = join(root, 'packages/local-stack/src/bin/rehearse.ts');
  const child = spawn(process.execPath, [script, '--api', stack.url, '--sqs', sqsUrl, '--dynamodb', dynamoDbUrl], {
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe('');
  expect(out).toMatch(/^dead\ndecided\n/);
  expect(out).toMatch(/"decision":"granted"/);
  expect(out).toMatch(/"ApproximateNumberOfMessagesMoved":1/);
  expect(said).toContain("An account's policy cannot be read");
});
