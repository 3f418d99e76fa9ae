import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { rows, startIntake, type TestIntake } from './testing/start-intake.ts';

interface BadInput {
  readonly name: string;
  readonly body: unknown;
  readonly status: number;
  readonly type: string;
  /** Pointers of the fields that the answer names. */
  readonly pointers?: readonly string[];
  readonly key?: string | null;
}

const row = (fields: string): string => `{"reservations":[{"id":"secret-17",${fields}}]}`;
const details = (json: string): string => row(`"details":${json}`);
const invalid = { status: 422, type: '/problems/invalid-body' };
const noJson = { status: 400, type: '/problems/malformed-json' };
const badKey = { status: 400, type: '/problems/invalid-idempotency-key' };
const fourMiB = 4 * 1024 * 1024;

const inputs: readonly BadInput[] = [
  { name: 'no body', body: '', ...noJson },
  { name: 'broken JSON', body: '{"reservations":[', ...noJson },
  { name: 'JSON with a trailing comma', body: '{"reservations":[{"id":"a"},]}', ...noJson },
  { name: 'a text that is deep and no JSON', body: '['.repeat(1_000_000), ...noJson },
  { name: 'null', body: 'null', ...invalid, pointers: [''] },
  { name: 'an array', body: '[]', ...invalid, pointers: [''] },
  { name: 'a deep array', body: `${'['.repeat(500_000)}${']'.repeat(500_000)}`, ...invalid, pointers: [''] },
  { name: 'no reservations', body: '{}', ...invalid, pointers: ['/reservations'] },
  { name: 'an empty list', body: '{"reservations":[]}', ...invalid, pointers: ['/reservations'] },
  {
    name: 'wrong types',
    body: { mode: 1, reservations: [{ id: 5, cost: '2', details: [] }, 'secret'] },
    ...invalid,
    pointers: ['/mode', '/reservations/0/id', '/reservations/0/cost', '/reservations/0/details', '/reservations/1'],
  },
  { name: 'an unknown mode', body: { mode: 'secret', reservations: rows(1) }, ...invalid, pointers: ['/mode'] },
  { name: 'a cost of 0', body: row('"cost":0'), ...invalid, pointers: ['/reservations/0/cost'] },
  { name: 'a cost of 10,001', body: row('"cost":10001'), ...invalid, pointers: ['/reservations/0/cost'] },
  { name: 'half a seat', body: row('"cost":1.5'), ...invalid, pointers: ['/reservations/0/cost'] },
  { name: 'a cost of 1e400', body: row('"cost":1e400'), ...invalid, pointers: ['/reservations/0/cost'] },
  {
    name: 'a cost not quite 2',
    body: row('"cost":2.00000000000000000001'),
    ...invalid,
    pointers: ['/reservations/0/cost'],
  },
  { name: '10,001 rows', body: { reservations: rows(10_001) }, ...invalid, pointers: ['/reservations'] },
  { name: 'case 23: 32,000 rows', body: { reservations: rows(32_000) }, ...invalid, pointers: ['/reservations'] },
  {
    name: 'a 4.1 MiB body',
    body: `{"pad":"${'x'.repeat(4.1 * 1024 * 1024)}"}`,
    status: 413,
    type: '/problems/body-too-large',
  },
  {
    name: '4 MiB and a byte of white space',
    body: JSON.stringify({ reservations: rows(1) }).padEnd(fourMiB + 1),
    status: 413,
    type: '/problems/body-too-large',
  },
  {
    name: 'an unknown field',
    body: { reservations: rows(1), accountId: 'other' },
    ...invalid,
    pointers: ['/accountId'],
  },
  { name: 'an unknown field of a row', body: row('"a/b~c":1'), ...invalid, pointers: ['/reservations/0/a~1b~0c'] },
  {
    name: 'fields named like those of Object.prototype',
    body: '{"reservations":[{"id":"a","__proto__":{"id":"b"}}],"constructor":1}',
    ...invalid,
    pointers: ['/reservations/0/__proto__', '/constructor'],
  },
  {
    name: 'a lone surrogate',
    body: '{"reservations":[{"id":"\\ud800"}]}',
    ...invalid,
    pointers: ['/reservations/0/id'],
  },
  {
    name: 'a control character',
    body: '{"reservations":[{"id":"a\\u0000"}]}',
    ...invalid,
    pointers: ['/reservations/0/id'],
  },
  {
    name: 'a delete character',
    body: '{"reservations":[{"id":"a\u007f"}]}',
    ...invalid,
    pointers: ['/reservations/0/id'],
  },
  { name: 'a noncharacter', body: '{"reservations":[{"id":"\uffff"}]}', ...invalid, pointers: ['/reservations/0/id'] },
  {
    name: '129 characters',
    body: { reservations: [{ id: '𝄞'.repeat(129) }] },
    ...invalid,
    pointers: ['/reservations/0/id'],
  },
  {
    name: 'the same id twice',
    body: { reservations: [...rows(3), { id: 'r1' }] },
    ...invalid,
    pointers: ['/reservations/3/id'],
  },
  {
    name: 'a lone surrogate deep in details',
    body: details('{"a":[{"b":"\\udc00"}]}'),
    ...invalid,
    pointers: ['/reservations/0/details/a/0/b'],
  },
  {
    name: 'a control character in a key of details',
    body: details('{"a":{"\\u0001":1}}'),
    ...invalid,
    pointers: ['/reservations/0/details/a'],
  },
  {
    name: 'a number that no double holds',
    body: details('{"n":9007199254740993}'),
    ...invalid,
    pointers: ['/reservations/0/details/n'],
  },
  {
    name: 'a fraction that no double holds',
    body: details('[0.1000000000000000055]'.replace(/^/, '{"n":').concat('}')),
    ...invalid,
    pointers: ['/reservations/0/details/n/0'],
  },
  { name: 'a huge number', body: details('{"n":1e400}'), ...invalid, pointers: ['/reservations/0/details/n'] },
  {
    name: 'details of 4 KiB and a byte, in four-byte characters',
    body: details(`{"n":"${'𝄞'.repeat(1022)}x"}`),
    ...invalid,
    pointers: ['/reservations/0/details'],
  },
  {
    name: 'details nested beyond their size',
    body: details(`{"n":${'['.repeat(2060)}${']'.repeat(2060)}}`),
    ...invalid,
    pointers: ['/reservations/0/details'],
  },
  {
    name: 'all or nothing of two chunks',
    body: { mode: 'all-or-nothing', reservations: rows(101) },
    ...invalid,
    pointers: ['/reservations'],
  },
  { name: 'a missing key', body: { reservations: rows(1) }, key: null, ...badKey },
  { name: 'a key with a space', body: { reservations: rows(1) }, key: 'a b', ...badKey },
  { name: 'a key of 256 characters', body: { reservations: rows(1) }, key: 'k'.repeat(256), ...badKey },
  { name: 'a key beyond ASCII', body: { reservations: rows(1) }, key: 'é', ...badKey },
];

test.for(inputs)('$name: refused, and nothing is left behind', async ({ body, key, status, type, pointers }) => {
  const intake = await startIntake();
  const response = await intake.submit(body, key === undefined ? {} : { key });
  const text = await response.text();
  const problem = Problem.assert(JSON.parse(text));
  expect([response.status, problem.type]).toEqual([status, type]);
  expect(problem.errors?.map((bad) => ('pointer' in bad ? bad.pointer : bad.parameter)).sort()).toEqual(
    pointers?.toSorted(),
  );
  expect(problem.errorCount).toBe(pointers?.length);
  expect(text).not.toContain('secret');
  await expectNothing(intake);
});

test('the first hundred bad fields are listed and all are counted', async () => {
  const intake = await startIntake();
  const response = await intake.submit({ reservations: rows(150).map(({ id }) => ({ id, cost: 0 })) });
  const problem = Problem.assert(await response.json());
  expect([problem.errors?.length, problem.errorCount]).toEqual([100, 150]);
  await expectNothing(intake);
});

test('a foreign field name that is long or unclean is not repeated in the answer', async () => {
  const intake = await startIntake();
  const response = await intake.submit({ reservations: rows(1), ['secret'.repeat(1000)]: 1, 'secret\u0001': 2 });
  const text = await response.text();
  expect([response.status, text.includes('secret')]).toEqual([422, false]);
});

async function expectNothing(intake: TestIntake): Promise<void> {
  expect(await intake.table.items()).toEqual([]);
  expect(intake.queue.calls).toEqual([]);
}
