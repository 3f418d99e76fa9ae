import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Quota } from '@usher/contracts';
import { builtInPolicy, type PolicySet, readPolicyFile, virtualClock } from '@usher/limiter-core/bulk';
import { type PolicyChanges, startStack } from '@usher/local-stack';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../support/silent-log.ts';
import { noon } from '../support/world.ts';

test('case 60: the stored policies stay where a start has no file, and a start with one tells what it changed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-policies-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));

  /**
   * Starts the stack once and stops it. Returns its lines about the policies, and the limits that accounts then have.
   */
  async function run(policies: PolicySet | undefined): Promise<{ changes: PolicyChanges; limits: number[] }> {
    const stack = await startStack({ dataDir, port: 0, policies, clock: virtualClock(noon), log: silentLog });
    try {
      const limits = ['ada', 'bob', 'eve'].map(async (accountId) => {
        const answer = await fetch(`${stack.url}/v1/quota`, { headers: { Authorization: `Bearer dev:${accountId}` } });
        return Quota.assert(await answer.json()).limit;
      });
      return { changes: stack.policies, limits: await Promise.all(limits) };
    } finally {
      await stack.close();
    }
  }

  const first = readPolicyFile({ accounts: { ada: { dailyLimit: 7 }, bob: { dailyLimit: 8 } } });
  expect(await run(first)).toEqual({
    changes: { set: ['ada', 'bob'], kept: [], removed: [] },
    limits: [7, 8, builtInPolicy.dailyLimit],
  });
  expect(await run(undefined)).toEqual({
    changes: { set: [], kept: ['ada', 'bob'], removed: [] },
    limits: [7, 8, builtInPolicy.dailyLimit],
  });
  const second = readPolicyFile({ accounts: { bob: { dailyLimit: 8 }, eve: { dailyLimit: 9 } } });
  expect(await run(second)).toEqual({
    changes: { set: ['eve'], kept: ['bob'], removed: ['ada'] },
    limits: [builtInPolicy.dailyLimit, 8, 9],
  });
});
