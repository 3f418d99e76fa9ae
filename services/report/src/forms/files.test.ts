import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { newReport, reportOf } from '../aggregate/day-report.ts';
import { descriptions } from '../model/descriptions.ts';
import { PartnerReport } from '../model/partner.ts';
import { DayReport } from '../model/report.ts';
import { reportSchemas, schemaText } from '../model/schemas.ts';
import { aRun, factsOf } from '../testing/facts.ts';
import { shownDay } from '../testing/shown-day.ts';
import { accountFilesOf, fileNameOf } from './account-files.ts';
import { sealOf, textOf } from './file.ts';
import { filesOf } from './files.ts';

const report = shownDay(120);
const ajv = new Ajv2020({ strict: true, strictTypes: false });

test('a report has four files, each the same however often it is read', () => {
  const files = filesOf(report);
  expect(files.map(({ name }) => name)).toEqual(['report.json', 'billing.csv', 'spreadsheet.csv', 'report.html']);
  for (const file of files) {
    const text = textOf(file);
    expect(sealOf(file)).toEqual({
      name: file.name,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(textOf(file)).toBe(text);
  }
});

test.each(Object.entries(reportSchemas))('schemas/%s is current, and a valid JSON Schema', (name, schema) => {
  const committed = readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8');
  expect(committed, 'renew it with "pnpm --filter @usher/report schemas"').toBe(schemaText(schema));
  expect(ajv.validateSchema(schema)).toBe(true);
});

test('each schema has an id of its own with its version, so that one validator takes them all', () => {
  const ids = Object.values(reportSchemas).map(({ $id }) => $id);
  expect(ids).toEqual(['urn:usher:report:daily-report:1', 'urn:usher:report:partner-report:1']);
  const all = new Ajv2020({ strict: true, strictTypes: false, schemas: Object.values(reportSchemas) });
  for (const $id of ids) expect(all.getSchema(String($id))).toBeTypeOf('function');
});

test('every property of the published schemas has its meaning told, and no meaning is told of none', () => {
  const named = new Set<string>();
  const undescribed: string[] = [];
  JSON.stringify(reportSchemas, (key, value: unknown) => {
    if (key === 'properties' && typeof value === 'object' && value !== null) {
      for (const [name, of] of Object.entries(value)) {
        named.add(name);
        if (typeof of?.description !== 'string') undescribed.push(name);
      }
    }
    return value;
  });
  expect(undescribed).toEqual([]);
  expect(Object.keys(descriptions).filter((name) => !named.has(name))).toEqual([]);
});

test('report.json is the report, by its published schema', () => {
  const validate = ajv.compile(reportSchemas['daily-report.schema.json'] ?? {});
  for (const one of [report, reportOf(aRun, []), shownDay(3, 'Australia/Lord_Howe')]) {
    const [json] = filesOf(one);
    const read: unknown = JSON.parse(json === undefined ? '' : textOf(json));
    expect(read).toEqual(one);
    expect([validate(read), validate.errors]).toEqual([true, null]);
    expect(DayReport.allows(read)).toBe(true);
  }
});

test('the published schema refuses what is no report', () => {
  const validate = ajv.compile(reportSchemas['daily-report.schema.json'] ?? {});
  const bad = [
    { ...report, more: 1 },
    { ...report, state: 'done' },
    { ...report, schemaVersion: 2 },
    { ...report, run: -1 },
  ];
  for (const one of bad) expect(validate(one)).toBe(false);
});

test("a partner's file has that account's own figures, and nothing of others or of the inside", () => {
  const validate = ajv.compile(reportSchemas['partner-report.schema.json'] ?? {});
  const files = [...accountFilesOf(report)];
  expect(files).toHaveLength(report.accounts.length);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
  const others = report.accounts.map(({ accountId }) => accountId);
  for (const [at, file] of files.entries()) {
    const text = textOf(file);
    const read: unknown = JSON.parse(text);
    expect([validate(read), validate.errors]).toEqual([true, null]);
    const { corrections, ...own } = PartnerReport.assert(read);
    const { accountId } = own;
    expect(accountId).toBe(others[at]);
    expect({ ...pick(report), ...report.accounts[at] }).toMatchObject(own);
    for (const correction of corrections) expect(correction.accountId).toBe(accountId);
    for (const other of others) if (!accountId.includes(other)) expect(text).not.toContain(`"${other}"`);
    expect(text).not.toMatch(
      /"(reconciliation|ledger|counter|deadLetters|backlog|repeats|late|missing|attention|quarantined)"/,
    );
  }
  expect(files.some((file) => textOf(file).includes('"before"'))).toBe(true);
});

/** Fields of a partner's file that are the report's and not the account's. */
function pick({ schemaVersion, date, state, run, generatedAt }: DayReport) {
  return { schemaVersion, date, state, run, generatedAt };
}

test('no id leads out of its folder, collides with another by case, or is too long for a file', () => {
  const ids = [
    '.',
    '..',
    '../../etc',
    'a/b',
    'A',
    'a',
    'con',
    '%61',
    'x'.repeat(128),
    '|'.repeat(128),
    `${'|'.repeat(127)}!`,
    'é',
    '\0',
  ];
  const names = ids.map(fileNameOf);
  expect(names.slice(0, 5)).toEqual(['%2e', '%2e%2e', '%2e%2e%2f%2e%2e%2fetc', 'a%2fb', '%41']);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_%~-]{1,180}$/);
});

test('a report without accounts has all its files', () => {
  for (const file of filesOf(newReport(aRun).finish())) expect(textOf(file).length).toBeGreaterThan(100);
  expect([...accountFilesOf(reportOf(aRun, [factsOf({})]))].map(({ name }) => name)).toEqual([
    'accounts/acme/%55%54%43.json',
  ]);
});
