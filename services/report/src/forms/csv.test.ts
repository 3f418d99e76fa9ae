import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportOf } from '../aggregate/day-report.ts';
import type { Correction } from '../model/report.ts';
import { aRun, date, factsOf } from '../testing/facts.ts';
import { billingCsv } from './billing-csv.ts';
import { billingColumns } from './billing-rows.ts';
import { CsvError, csvLine, csvRows } from './csv.ts';
import { textOf } from './file.ts';
import { spreadsheetCsv } from './spreadsheet-csv.ts';

const correction: Correction = {
  date: '2026-11-20',
  timezone: 'UTC',
  accountId: '-acme',
  foundAt: '2026-11-30T01:00:00.000Z',
  before: { used: 9, granted: 4, grantedCost: 9, rejected: 0, rejectedCost: 0, wouldReject: 0, wouldRejectCost: 0 },
  after: { used: 7, granted: 3, grantedCost: 7, rejected: 1, rejectedCost: 2, wouldReject: 0, wouldRejectCost: 0 },
};

const chunks = [{ granted: { count: 2, cost: 5 }, byReason: { exceeds_limit: { count: 1, cost: 2000 } } }];
const idsOf = (text: string): string[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' }).map((row: unknown) => String(Object(row).account_id));

function reportWith(ids: readonly string[]) {
  return reportOf(
    { ...aRun, corrections: [correction] },
    ids.map((accountId) => factsOf({ accountId, chunks })),
  );
}

test('billing.csv has a row for each account and correction, lines ended by CR LF, and no quote that need not be', () => {
  const lines = textOf(billingCsv(reportWith(['1E5', 'acme']))).split('\r\n');
  expect(lines).toEqual([
    billingColumns.join(','),
    `usage,${date},UTC,1E5,${date}T00:00:00.000Z,2026-11-30T00:00:00.000Z,1000,5,2,5,1,2000,0,0,1,complete,1`,
    `usage,${date},UTC,acme,${date}T00:00:00.000Z,2026-11-30T00:00:00.000Z,1000,5,2,5,1,2000,0,0,1,complete,1`,
    'correction,2026-11-20,UTC,-acme,,,,-2,-1,-2,1,2,0,0,,final,1',
    '',
  ]);
});

test('a field is quoted where a separator, a quote or a line break is in it, and nowhere else', () => {
  expect(csvLine(['a b', "'", '=1', 7, null])).toBe("a b,',=1,7,\r\n");
  expect(csvLine([',', '"', '\r', '\n'])).toBe('",","""","\r","\n"\r\n');
});

test('every text comes back byte for byte, whatever stands in it', () => {
  const field = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', ',', '\r', '\n', '\r\n', ' a ', '""', '-acme', '=1+1'),
  );
  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
      const text = rows.map(csvLine).join('');
      expect(parse(text, { record_delimiter: '\r\n' })).toEqual(rows);
      expect([...csvRows(text)]).toEqual(rows);
    }),
  );
});

test('ids in billing.csv are what they are, also hostile ones', () => {
  const ids = ['-acme', '1E5', '=cmd|x', '@sum', '<script>', 'a"b', 'a,b', 'a\r\nb', ' a ', '\t'];
  expect(idsOf(textOf(billingCsv(reportWith(ids))))).toEqual([...ids.toSorted(), '-acme']);
});

test('no text of spreadsheet.csv begins as a formula, also not behind a separator within it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 5 }),
      (ids) => {
        const own = ids.map((id, at) => `${id}${at}`);
        const text = textOf(spreadsheetCsv(reportWith(own)));
        const read = idsOf(text);
        expect(read.slice(0, -1).map((id) => (own.includes(id) ? id : id.slice(1)))).toEqual(own.toSorted());
        for (const id of read) expect(id).not.toMatch(/^[=+\-@\t\r]/);
        expect(text.match(/(^|,)[=+@]/g)).toBeNull();
      },
    ),
  );
});

test('numbers of spreadsheet.csv stay numbers, also negative ones', () => {
  const last = textOf(spreadsheetCsv(reportWith([])))
    .trim()
    .split('\r\n')
    .at(-1);
  expect(last).toBe(`"correction","2026-11-20","UTC","'-acme",,,,-2,-1,-2,1,2,0,0,,"final",1`);
});

test('an empty field is read as an empty text, no text as no row', () => {
  expect([...csvRows(csvLine([null, 'a', null]))]).toEqual([['', 'a', '']]);
  expect([...csvRows('')]).toEqual([]);
});

test.each(['a', 'a\n', 'a\r\n"b', '"', '"""', '"a"b\r\n', 'a"\r\n', 'a,', 'a\r\nb,'])(
  'what csvLine never writes is refused: %j',
  (text) => {
    expect(() => [...csvRows(text)]).toThrow(CsvError);
  },
);
