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
  const [, script = ''] = /--dir infra exec node --input-type=module - <<'JS'\n([\s\S]*?)\nJS\n/.exec(runbook) ?? [];
  const { sqsUrl: SQS, dynamoDbUrl: DYNAMODB } = stack.endpoints;
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: join(root, 'infra'),
    env: { API: stack.url, SQS, DYNAMODB },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(script);
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe('');
  expect(out).toMatch(/^dead\ndecided\n/);
  expect(out).toMatch(/decision: 'granted'/);
  expect(out).toMatch(/ApproximateNumberOfMessagesMoved: 1/);
  expect(said).toContain("An account's policy cannot be read");
});
