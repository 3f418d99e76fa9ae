import { expect, test } from 'vitest';
import type { AccountReport } from '../model/report.ts';
import { aRun, factsOf } from '../testing/facts.ts';
import { attentionMax, attentionOf, reasonsOf } from './attention.ts';
import { reportOf } from './day-report.ts';

const [calm] = reportOf(aRun, [factsOf({ chunks: [{ granted: { count: 1, cost: 100 } }] })]).accounts;

function account(more: Partial<AccountReport>): AccountReport {
  if (calm === undefined) throw new Error('no account');
  return { ...calm, ...more };
}

const before = (used: number) => ({ weekBefore: { used, granted: 1, rejected: 0, bookings: 1 } });

test.each<[string[], Partial<AccountReport>]>([
  [[], {}],
  [['drift'], { reconciliation: { state: 'drift', differences: [] } }],
  [[], { reconciliation: { state: 'moved', differences: [] } }],
  [['missing'], { complete: false }],
  [['dead_letters'], { deadLetters: 1 }],
  [['quarantined'], { quarantined: 1 }],
  [['refused'], { rejected: 1 }],
  [['late'], { late: 1 }],
  [['fell'], before(200)],
  [[], before(199)],
  [['rose'], before(50)],
  [[], before(51)],
  [['rose'], before(0)],
  [[], { used: 19, ...before(0) }],
  [[], { used: 0, ...before(19) }],
  [['fell'], { used: 0, ...before(20) }],
  [['missing', 'refused'], { rejected: 2, complete: false }],
])('the reasons are %j for %j', (reasons, more) => {
  expect(reasonsOf(account(more))).toEqual(reasons);
});

test('one weighty reason comes before any number of lighter ones; among equals the most refused, then the busiest', () => {
  const accounts = [
    account({ accountId: 'light', rejected: 9, late: 1, quarantined: 1, deadLetters: 1 }),
    account({ accountId: 'missing', complete: false }),
    account({ accountId: 'more', rejected: 5 }),
    account({ accountId: 'less', rejected: 4, used: 500 }),
    account({ accountId: 'least', rejected: 4 }),
    account({ accountId: 'calm' }),
  ];
  expect(attentionOf(accounts).map(({ accountId }) => accountId)).toEqual([
    'missing',
    'light',
    'more',
    'less',
    'least',
  ]);
});

test('no more than twenty are named', () => {
  const many = Array.from({ length: 30 }, (_, at) => account({ accountId: `a${at}`, rejected: at + 1 }));
  const named = attentionOf(many);
  expect(named).toHaveLength(attentionMax);
  expect(named[0]?.accountId).toBe('a29');
});
