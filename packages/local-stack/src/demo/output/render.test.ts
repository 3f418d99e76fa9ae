import { describe, expect, test } from 'vitest';
import type { AccountSummary, Summary } from '../audit/summary.ts';
import { renderSummary, toJson } from './render.ts';

const account: AccountSummary = {
  accountId: 'alpha',
  limit: 1000,
  used: 407,
  granted: 200,
  grantedCost: 407,
  rejected: 3,
  rejectedCost: 11,
  wouldReject: 0,
  wouldRejectCost: 0,
  resetsAt: '2026-11-30T00:00:00.000Z',
  pacedSeconds: 38.7,
  dues: [],
  burst: 20,
  refillPerSecond: 10,
  mode: 'enforce',
};

const summary: Summary = {
  accounts: [account],
  events: { 'Quota Usage Recorded': 18, 'Reservations Rejected': 8 },
  dispatch: { messages: 155, rows: 200, conforms: true, differences: [] },
  balanced: true,
  differences: [],
};

const rendered = (changes: Partial<Summary> = {}, all = false): string =>
  renderSummary({ ...summary, ...changes }, { all, seconds: 1.26 });

describe('the summary for people', () => {
  test('is a table, the events, the dispatch and the books', () => {
    expect(rendered().split('\n')).toEqual([
      'account  limit  used  used %  granted  rejected  rej. cost  paced over',
      '─'.repeat(70),
      'alpha     1000   407    40.7      200         3         11      38.7 s',
      '',
      'Events',
      '  Quota Usage Recorded      18',
      '  Reservations Rejected     8',
      '',
      'Dispatch: 200 rows in 155 messages over up to 38.7 s',
      'Every account is within its burst + refill × time',
      'Books balance: counter = ledger = events = what was submitted',
      'Took 1.3 s',
      '',
    ]);
  });

  test('has no share of a limit of 0', () => {
    expect(rendered({ accounts: [{ ...account, limit: 0, used: 0 }] })).toMatch(/^alpha +0 +0 +– +200 /m);
  });

  test('tells what enforce would have rejected of an account that is only observed', () => {
    const observed = { ...account, mode: 'observe' as const, wouldReject: 12, wouldRejectCost: 340 };
    expect(rendered({ accounts: [account, { ...observed, accountId: 'beta' }] })).toContain(
      '\n\nObserved only; enforce would have rejected\n  beta: 12 granted rows, cost 340\n\n',
    );
    expect(rendered()).not.toContain('Observed');
  });

  test('fits 80 columns, whatever the names and figures', () => {
    const huge = 987_654_321_012;
    const widest: AccountSummary = {
      accountId: `partner-${'x'.repeat(112)}-berlin`,
      limit: huge,
      used: huge,
      granted: huge,
      grantedCost: huge,
      rejected: huge,
      rejectedCost: huge,
      wouldReject: huge,
      wouldRejectCost: huge,
      resetsAt: account.resetsAt,
      pacedSeconds: 35_999_640,
      dues: [],
      burst: 20,
      refillPerSecond: 10,
      mode: 'observe',
    };
    const text = rendered({ accounts: [widest, account, { ...widest, limit: 1, mode: 'enforce' }] });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(text).toMatch(/^p\S+…\S+n +987\.7B +987\.7B +100\.0 /m);
    expect(text).toContain(' >999 ');
  });

  test.each([
    [0, '0.0 s'],
    [119.9, '119.9 s'],
    [120, '2.0 min'],
    [7199, '120.0 min'],
    [35_580, '9.9 h'],
  ])('tells %d seconds as %s', (pacedSeconds, told) => {
    expect(rendered({ accounts: [{ ...account, pacedSeconds }] })).toContain(`over up to ${told}\n`);
  });

  test('shows the first 40 of many accounts, and what the others come to, unless all are asked for', () => {
    const accounts = Array.from({ length: 43 }, (_, i) => ({ ...account, accountId: `account-${i}-` }));
    const some = rendered({ accounts });
    expect(some.match(/account-\d+-/g)).toHaveLength(40);
    expect(some).toContain('… and 3 smaller accounts with 600 granted and 9 rejected rows (--all shows them)');
    expect(rendered({ accounts }, true).match(/account-\d+-/g)).toHaveLength(43);
    expect(rendered({ accounts: accounts.slice(0, 40) })).not.toContain('smaller');
  });

  test('says that the books do not balance, and in what', () => {
    const text = rendered({ balanced: false, differences: ['alpha: used: 1, not 2'] });
    expect(text).toContain('Books DO NOT balance:\n  alpha: used: 1, not 2\nTook');
    const differences = Array.from({ length: 23 }, (_, i) => `difference-${i}`);
    const many = rendered({ balanced: false, differences });
    expect(many.match(/difference-/g)).toHaveLength(20);
    expect(many).toContain('  … and 3 more\nTook');
  });

  test('says below the dispatch what was not paced', () => {
    const dispatch = { messages: 1, rows: 1, conforms: false, differences: ['early'] };
    expect(rendered({ dispatch })).toContain('\nNOT within burst + refill × time:\n  early\nBooks balance');
  });
});

describe('the summary for programs', () => {
  test('is one object on one line', () => {
    const json = toJson(summary, { seconds: 1.26, reports: ['/r/report.json'] });
    expect(json).not.toContain('\n');
    expect(JSON.parse(json)).toStrictEqual({
      accounts: [
        {
          accountId: 'alpha',
          limit: 1000,
          used: 407,
          granted: 200,
          grantedCost: 407,
          rejected: 3,
          rejectedCost: 11,
          wouldReject: 0,
          wouldRejectCost: 0,
          resetsAt: '2026-11-30T00:00:00.000Z',
          pacedSeconds: 38.7,
          burst: 20,
          refillPerSecond: 10,
          mode: 'enforce',
        },
      ],
      events: { 'Quota Usage Recorded': 18, 'Reservations Rejected': 8 },
      dispatch: { messages: 155, conforms: true },
      balanced: true,
      seconds: 1.26,
      reports: ['/r/report.json'],
    });
  });

  test('has every difference where there are some', () => {
    const dispatch = { messages: 1, rows: 1, conforms: false, differences: ['early'] };
    const json = toJson(
      { ...summary, balanced: false, differences: ['a', 'b'], dispatch },
      { seconds: 1, reports: [] },
    );
    expect(JSON.parse(json)).toMatchObject({
      balanced: false,
      differences: ['a', 'b', 'early'],
      dispatch: { messages: 1, conforms: false },
    });
  });
});
