import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import { expect, expectTypeOf, test } from 'vitest';
import type * as publishedReport from '../schemas/daily-quota-report.d.ts';
import type * as publishedQuarantined from '../schemas/message-quarantined.d.ts';
import type * as publishedThreshold from '../schemas/quota-threshold-reached.d.ts';
import type * as publishedUsage from '../schemas/quota-usage-recorded.d.ts';
import type * as publishedRejected from '../schemas/reservations-rejected.d.ts';
import {
  type DailyQuotaReport,
  eventDetails,
  eventSchemaVersion,
  type MessageQuarantined,
  type QuotaThresholdReached,
  type QuotaUsageRecorded,
  type ReservationsRejected,
} from './event.ts';
import { eventSchemaFiles } from './event-schema-files.ts';
import { eventTypeFiles } from './event-type-files.ts';
import { eventSchemas } from './json-schemas.ts';

const folder = join(import.meta.dirname, '../schemas');
const require = createRequire(import.meta.url);
const Json = type('string.json.parse').to({ $id: 'string', $schema: 'string', title: 'string', '[string]': 'unknown' });

const files = new Map([...eventSchemaFiles, ...eventTypeFiles]);

test('there are a schema and a type for each event, and no other file', () => {
  expect(readdirSync(folder).sort()).toEqual([...files.keys()].sort());
  expect(files.size).toBe(2 * Object.keys(eventDetails).length);
});

test.each([...files])('%s is what the event is', (name, text) => {
  const hint =
    `${name} differs from the event in packages/contracts/src/event.ts. If that is meant, run ` +
    '`npx -y pnpm@12 --filter @usher/contracts schemas` and commit what it writes.';
  expect(readFileSync(join(folder, name), 'utf8') === text, hint).toBe(true);
});

test.each([...files.keys()])('%s is found under the name of the package', (name) => {
  expect(require.resolve(`@usher/contracts/schemas/${name}`)).toBe(join(folder, name));
});

test('each file is a schema of draft 2020-12 with an id of its own, titled with the detail-type', () => {
  const schemas = [...eventSchemaFiles.values()].map((text) => Json.assert(text));
  expect(new Set(schemas.map(({ $schema }) => $schema))).toEqual(
    new Set(['https://json-schema.org/draft/2020-12/schema']),
  );
  expect(schemas.map(({ title }) => title)).toEqual(Object.keys(eventDetails));
  expect(new Set(schemas.map(({ $id }) => $id)).size).toBe(schemas.length);
  for (const { $id } of schemas) expect($id).toMatch(new RegExp(`^urn:usher:event:[a-z-]+:${eventSchemaVersion}$`));
  // Together in one validator, as a consumer of all events has them.
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  for (const schema of schemas) expect(() => ajv.compile(schema)).not.toThrow();
});

interface Node {
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

test('each type is the one that Usher itself uses', () => {
  expectTypeOf<publishedUsage.QuotaUsageRecorded>().toEqualTypeOf<QuotaUsageRecorded>();
  expectTypeOf<publishedRejected.ReservationsRejected>().toEqualTypeOf<ReservationsRejected>();
  expectTypeOf<publishedThreshold.QuotaThresholdReached>().toEqualTypeOf<QuotaThresholdReached>();
  expectTypeOf<publishedQuarantined.MessageQuarantined>().toEqualTypeOf<MessageQuarantined>();
  expectTypeOf<publishedReport.DailyQuotaReport>().toEqualTypeOf<DailyQuotaReport>();
});

/** Every schema within a schema, with the names of the fields that lead to it. */
function* nodesOf(schema: unknown, path: string): Generator<Node> {
  if (!isObject(schema)) return;
  yield { path, schema };
  yield* nodesOf(schema.items, `${path}[]`);
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    yield* nodesOf(inner, `${path}.${name}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test.each(Object.entries(eventSchemas))(
  'every object of %s is closed, and every field has its meaning',
  (name, all) => {
    const nodes = [...nodesOf(all, name)];
    expect(nodes.length).toBeGreaterThan(8);
    const objects = nodes.filter(({ schema }) => schema.type === 'object');
    expect(objects.filter(({ schema }) => schema.additionalProperties !== false)).toEqual([]);
    const silent = nodes.filter(
      ({ path, schema }) => !path.endsWith('[]') && !/^[A-Z].*\.$/.test(String(schema.description)),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
  },
);
