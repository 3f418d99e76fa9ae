import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { type } from 'arktype';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { until, untilTrue } from '../support/until.ts';
import { noon } from '../support/world.ts';

const Running = type('string.json.parse').to({ url: 'string' });
const authorization = { Authorization: 'Bearer dev:ada' };

/**
 * Sets the largest size of a process's files, to 0 as on a full disk, or to no limit: the limit of
 * the system on file sizes, which Linux changes for a process that runs.
 */
function setRoom(pid: number, room: '0' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${room}:`]);
}

test('case 54: a full disk is answered 503, nothing is lost, and the process goes on when there is room', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-full-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const order = { dataDir, startsAtMs: Date.parse(noon), policies: {} };
  const child = startChild(new URL('../faults/stack-process.ts', import.meta.url), order);
  const { url } = Running.assert(await child.firstLine());

  const submit = (key: string): Promise<Response> =>
    fetch(`${url}/v1/bookings`, {
      method: 'POST',
      headers: { ...authorization, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ reservations: [{ id: key }] }),
    });
  const accepted = async (key: string): Promise<string> =>
    until(`booking ${key} is accepted`, async () => {
      const answer = await submit(key);
      return answer.status === 202 ? BookingAccepted.assert(await answer.json()).bookingId : undefined;
    });
  const expectDecided = (bookingId: string): Promise<void> =>
    untilTrue(`booking ${bookingId} is granted`, async () => {
      const answer = await fetch(`${url}/v1/bookings/${bookingId}`, { headers: authorization });
      return answer.ok && BookingStatus.assert(await answer.json()).counts?.granted === 1;
    });

  const before = await accepted('before');
  await expectDecided(before);

  setRoom(child.pid, '0');
  for (const attempt of [1, 2, 3]) {
    const refused = await submit('meanwhile');
    expect(refused.status, `attempt ${attempt}`).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
  }

  setRoom(child.pid, 'unlimited');
  await expectDecided(await accepted('meanwhile'));
  await expectDecided(before);
});
