import { beforeEach, describe, expect, test } from 'vitest';
import { ContentionError, DeadlineError, InvalidArgumentError, InvalidPolicyError } from '../errors.ts';
import { chunkIdOf } from './ledger.ts';
import { type ChunkResult, maxChunksPerAccount } from './settler.ts';
import { chunkOf, dayMs, digestOf, noon, settledOutcome } from './testing/build.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { acme, errorOf, kindsOf, other, type Settling, startSettling } from './testing/settling.ts';

let stored: Settling['stored'];
let settleOn: Settling['settleOn'];
let usedBy: Settling['usedBy'];
let interfere: Settling['interfere'];

beforeEach(() => {
  ({ stored, settleOn, usedBy, interfere } = startSettling());
});

describe('one batch', () => {
  test('reads the accounts before the ledger, writes once for each account, and the ledger in one go', async () => {
    const store = new FaultyStore(stored);
    const second = chunkOf({ ...acme, chunkIndex: 1 });
    const results = await settleOn(store, { acme: [acme, second], other: [other] });
    expect(store.calls).toEqual([
      'readAccounts acme,other',
      'readLedger bk_acme#0,bk_acme#1,bk_other_account#0',
      'writeAccount acme',
      'writeAccount other',
      'writeLedger bk_acme#0,bk_acme#1,bk_other_account#0',
    ]);
    expect(kindsOf(results.get('acme'))).toEqual(['settled', 'settled']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(await usedBy('acme')).toBe(6);
    expect(await usedBy('other')).toBe(2);
  });

  test('puts the rows of each chunk beside its outcome', async () => {
    const results = await settleOn(stored, { acme: [acme] });
    const [result] = results.get('acme') ?? [];
    expect(stored.ledger()).toEqual([
      {
        bookingId: 'bk_acme',
        chunkIndex: 0,
        accountId: 'acme',
        outcome: settledOutcome(result),
        rows: [{ id: 'row-0', cost: 3 }],
      },
    ]);
  });

  test('that is a redelivery writes nothing anywhere', async () => {
    await settleOn(stored, { acme: [acme] });
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme] });
    expect(results.get('acme')).toMatchObject([{ kind: 'settled', origin: 'ledger' }]);
    expect(store.calls).toEqual(['readAccounts acme', 'readLedger bk_acme#0']);
  });

  test('of more chunks of an account than one write can keep is refused, and nothing is called', async () => {
    const store = new FaultyStore(stored);
    const chunks = Array.from({ length: maxChunksPerAccount + 1 }, (_, chunkIndex) => chunkOf({ ...acme, chunkIndex }));
    await expect(settleOn(store, { acme: chunks })).rejects.toThrow(
      new InvalidArgumentError('chunks of acme must be at most 1000 (were 1001)'),
    );
    expect(store.calls).toEqual([]);
  });

  test('of no accounts is settled without a call that writes', async () => {
    const store = new FaultyStore(stored);
    expect(await settleOn(store, {})).toEqual(new Map());
    expect(store.calls).toEqual([]);
  });

  test("takes each account's own policy, and fails only the account whose policy is malformed", async () => {
    stored.setOverrides('acme', { dailyLimit: 2 });
    stored.setOverrides('broken', { dailyLimit: -1 });
    const results = await settleOn(stored, { acme: [acme], broken: [other], other: [chunkOf({ costs: [3] })] });
    expect(settledOutcome(results.get('acme')?.[0])).toMatchObject({ limit: 2, reasons: ['exceeds_limit'] });
    expect(settledOutcome(results.get('other')?.[0])).toMatchObject({ limit: 10, reasons: [null] });
    expect(errorOf(results.get('broken')?.[0])).toBeInstanceOf(InvalidPolicyError);
    expect(await usedBy('broken')).toBe(0);
  });

  test('hands refused chunks back as such and keeps them out of the ledger', async () => {
    await settleOn(stored, { acme: [acme] });
    const forged = { ...acme, digest: digestOf('b') };
    const late = chunkOf({ bookingId: 'bk_late', acceptedAtMs: noon - 29 * dayMs });
    const results = await settleOn(stored, { acme: [forged, late] });
    expect(results.get('acme')).toEqual([
      { kind: 'refused', reason: 'digest_mismatch' },
      { kind: 'refused', reason: 'too_old' },
    ]);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_acme#0']);
  });
});

describe('an account changed meanwhile', () => {
  test('is read and settled again, alone: the others do not wait for it', async () => {
    let interfered = 0;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme' && interfered++ < 2) await interfere('acme', interfered);
    });
    const contended: string[] = [];
    const results = await settleOn(
      store,
      { acme: [acme], other: [other] },
      { onContention: (accountId) => contended.push(accountId) },
    );
    expect(store.calls).toEqual([
      'readAccounts acme,other',
      'readLedger bk_acme#0,bk_other_account#0',
      'writeAccount acme',
      'writeAccount other',
      'writeLedger bk_other_account#0',
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
    expect(contended).toEqual(['acme', 'acme']);
    expect(settledOutcome(results.get('acme')?.[0])).toMatchObject({ usedBefore: 2, grantedCost: 3 });
    expect(await usedBy('acme')).toBe(5);
  });

  test('by a twin that settled the same chunk has the outcome of the twin, counted once', async () => {
    let twin: readonly ChunkResult[] | undefined;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme' && twin === undefined)
        twin = (await settleOn(stored, { acme: [acme] })).get('acme');
    });
    const results = await settleOn(store, { acme: [acme] });
    expect(settledOutcome(results.get('acme')?.[0])).toEqual(settledOutcome(twin?.[0]));
    expect(await usedBy('acme')).toBe(3);
  });

  test('each time gives up after the bound, with pauses in between that grow, and has changed nothing', async () => {
    let serial = 0;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme') await interfere('acme', serial++);
    });
    const pauses: number[] = [];
    const retry = { sleep: async (ms: number) => void pauses.push(ms), random: () => 0.5 };
    const results = await settleOn(store, { acme: [acme, acme], other: [other] }, { retry, maxAttempts: 4 });
    expect(results.get('acme')?.map(errorOf)).toEqual([expect.any(ContentionError), expect.any(ContentionError)]);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(pauses).toEqual([10, 20, 40]);
    expect(await usedBy('acme')).toBe(4);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_other_account#0']);
  });
});

describe('time that has run out', () => {
  test('before an account was settled is a DeadlineError, and nothing is written for it', async () => {
    let asked = 0;
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme], other: [other] }, { isOverdue: () => ++asked > 3 });
    expect(kindsOf(results.get('acme'))).toEqual(['settled']);
    expect(errorOf(results.get('other')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).not.toContain('writeAccount other');
    expect(await usedBy('other')).toBe(0);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_acme#0']);
  });

  test.each([0, 1])('is asked before each read: after %i of them no other begins', async (reads) => {
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme] }, { isOverdue: () => store.calls.length >= reads });
    expect(errorOf(results.get('acme')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).toHaveLength(reads);
  });

  test('while an account was contended is a DeadlineError too, without another attempt', async () => {
    let overdue = false;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call !== 'writeAccount acme') return;
      await interfere('acme', 0);
      overdue = true;
    });
    const results = await settleOn(store, { acme: [acme] }, { isOverdue: () => overdue });
    expect(errorOf(results.get('acme')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).toEqual(['readAccounts acme', 'readLedger bk_acme#0', 'writeAccount acme']);
  });
});
