import { describe, expect, test } from 'vitest';
import type { AccountSummary } from '../audit/summary.ts';
import { noon } from '../testing/evidence.ts';
import { renderPictures } from './pictures.ts';

const account: AccountSummary = {
  accountId: 'alpha',
  limit: 100,
  used: 50,
  granted: 36,
  grantedCost: 36,
  rejected: 0,
  rejectedCost: 0,
  wouldReject: 0,
  wouldRejectCost: 0,
  resetsAt: '2026-11-30T00:00:00.000Z',
  pacedSeconds: 35,
  dues: Array.from({ length: 36 }, (_, second) => ({ atMs: noon + 1000 * second, cost: 1 })),
  burst: 1,
  refillPerSecond: 1,
  mode: 'enforce',
};

const pictured = (changes: Partial<AccountSummary> = {}): string[] =>
  renderPictures([{ ...account, ...changes }]).split('\n');

describe('the picture of an account', () => {
  test('is its usage beside its limit, and its hand-off beside what its pace allows', () => {
    expect(pictured()).toEqual([
      'alpha  1 + 1/s, resets 2026-11-30T00:00Z',
      `  used      ${'█'.repeat(18)}${'░'.repeat(18)}  50 of 100 (50.0 %)`,
      `  hand-off  ${'▅'.repeat(36)}  35.0 s, █ = 2 in 1.0 s`,
      '',
    ]);
  });

  test.each([
    ['nothing', 0, 100, '░'.repeat(36)],
    ['next to nothing', 1, 10_000, `█${'░'.repeat(35)}`],
    ['all but next to nothing', 9_999, 10_000, `${'█'.repeat(35)}░`],
    ['all', 100, 100, '█'.repeat(36)],
    ['twice the limit, observed', 200, 100, `${'█'.repeat(18)}${'▒'.repeat(18)}`],
    ['something of a limit of 0, observed', 5, 0, '▒'.repeat(36)],
    ['nothing of a limit of 0', 0, 0, '░'.repeat(36)],
  ])('shows %s as such', (_, used, limit, bar) => {
    expect(pictured({ used, limit })[1]).toContain(`  used      ${bar}  ${used} of ${limit} (`);
  });

  test('shows pauses, and the burst as full as its pace allows', () => {
    const dues = [
      { atMs: noon, cost: 20 },
      { atMs: noon + 36_000, cost: 1 },
    ];
    const [, , line = ''] = pictured({ dues, pacedSeconds: 36, burst: 20 });
    expect(line).toMatch(/^ {2}hand-off {2}█ {34}▁ {2}36\.0 s, █ = 21 in 1\.0 s$/);
  });

  test('says so where nothing is handed on, or all at once', () => {
    expect(pictured({ dues: [], pacedSeconds: 0 })[2]).toBe('  hand-off  nothing');
    const dues = [{ atMs: noon, cost: 7 }];
    expect(pictured({ dues, pacedSeconds: 0, burst: 20 })[2]).toBe('  hand-off  all at once: 7 of a burst of 20');
  });

  test('fits 80 columns', () => {
    const lines = pictured({
      accountId: 'x'.repeat(128),
      limit: 123_456_789,
      used: 9_999_999,
      pacedSeconds: 350_000,
      burst: 1_000_000,
      refillPerSecond: 12_345.678,
    });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[0]).toContain('…');
  });

  test('is drawn for ten accounts', () => {
    const many = Array.from({ length: 12 }, (_, i) => ({ ...account, accountId: `account-${i}` }));
    const text = renderPictures(many);
    expect(text.match(/hand-off/g)).toHaveLength(10);
    expect(text).toContain('… 2 more accounts without a picture');
  });
});
