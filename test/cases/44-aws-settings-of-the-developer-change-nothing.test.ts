import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { type } from 'arktype';
import { expect, onTestFinished, test } from 'vitest';
import { badAwsSettings } from '../support/bad-aws-settings.ts';
import { startChild } from '../support/child.ts';
import { untilTrue } from '../support/until.ts';
import { noon } from '../support/world.ts';

const run = promisify(execFile);
const demo = fileURLToPath(new URL('../../packages/local-stack/src/bin/demo.ts', import.meta.url));
const Facts = type('string.json.parse').to({
  balanced: 'boolean',
  accounts: type({ accountId: 'string', granted: 'number', rejected: 'number' }).array(),
});
const Running = type('string.json.parse').to({ url: 'string' });

test('case 44: the demo runs under settings and a profile with which no AWS client would', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-demo-settings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'bookings.csv');
  await writeFile(file, 'account,booking,reservation,cost\na,b,r1,5\na,b,r2,1001\n');
  const { stdout } = await run(process.execPath, [demo, file, '--json'], { env: await badAwsSettings() });
  expect(Facts.assert(stdout.trimEnd().split('\n').at(-1))).toMatchObject({
    balanced: true,
    accounts: [{ accountId: 'a', granted: 1, rejected: 1 }],
  });
});

test('case 44: the stack runs under them, too', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-stack-settings-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const order = { dataDir, startsAtMs: Date.parse(noon), policies: {} };
  const script = new URL('../faults/stack-process.ts', import.meta.url);
  const child = startChild(script, order, { env: await badAwsSettings() });
  onTestFinished(child.kill);
  const { url } = Running.assert(await child.firstLine());
  const headers = { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': 'k' };
  const body = JSON.stringify({ reservations: [{ id: 'r1' }] });
  const answer = await fetch(`${url}/v1/bookings`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  const { bookingId } = BookingAccepted.assert(await answer.json());
  await untilTrue(`booking ${bookingId} is decided`, async () => {
    const read = await fetch(`${url}/v1/bookings/${bookingId}`, { headers });
    return BookingStatus.assert(await read.json()).status === 'decided';
  });
});
