import { expect, test } from 'vitest';
import { defused } from './defused.ts';

test.each([
  [
    '=1+1',
    '+1',
    '-acme',
    '@sum',
    '\tx',
    '\rx',
    '\nx',
    ' =1',
    '\u00a0=1',
    '\0=A1',
    '\u200b=A1',
    '＝1',
    '＋1',
    '－1',
    '＠sum',
  ],
  [
    '007',
    '1-2',
    '1|2',
    '1.5',
    '2026-11-29',
    '12:30',
    '5%',
    '(7)',
    '$5',
    '1_000',
    '１２',
    '٣',
    '1 1/2',
    '1'.repeat(128),
  ],
  ['1E5', '1E5.', '1E5-', '.5E3', '1 e 5', '9am', '9.30.pm', '9a.m.', '9 P.M.', '5kr', 'CHF5'],
  ['MAR1', 'sept-2', '1-dec-2026', '7June', '2026-Jan-1', '5 Jan 2026 12:30'],
  ['1.Mai', 'Dez-2026', 'Mär1', '5août', '1-ene', 'gennaio.5', '5.março', 'mrt-26', '1.maj', '1.desember'],
  ['Mon.2026-11-29', 'So.1.2.2026', 'So.1.Mai', 'Sunday, November 29, 2026'],
  ['TRUE', 'False', ' true', 'WAHR', 'faux', 'FALSO', 'onwaar'],
])('in spreadsheet.csv %j and its like are defused', (...ids) => {
  for (const id of ids) expect(defused(id)).toBe(`'${id}`);
});

test.each([
  ['acme', 'acme-42', 'a-1', 'x1', 'a=1', 'A1', 'E1', 'E5-1', '1E5x', '0x1F', 'alpha|beta', 'a@b.example', ''],
  ['may', 'march-group', '1-mark', 'may-group-5', 'mars-air-1', 'acme.5', 'acme.air.1.2', '5.dezernat'],
  ['truest', 'wahrheit', 'true-1x', '|', '..', '_'],
])('in spreadsheet.csv %j and its like stay', (...ids) => {
  for (const id of ids) expect(defused(id)).toBe(id);
});
