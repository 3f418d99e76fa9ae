import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { eventDetails, eventSchemaVersion } from './event.ts';
import { eventSchemaFiles } from './event-schema-files.ts';
import { eventSchemas } from './json-schemas.ts';

const folder = join(import.meta.dirname, '../schemas');
const require = createRequire(import.meta.url);
const Json = type('string.json.parse').to({ $id: 'string', $schema: 'string', title: 'string', '[string]': 'unknown' });

test('there is a file for each event, and no other', () => {
  expect(readdirSync(folder).sort()).toEqual([...eventSchemaFiles.keys()].sort());
  expect(eventSchemaFiles.size).toBe(Object.keys(eventDetails).length);
});

test.each([...eventSchemaFiles])('%s is what the event is', (name, text) => {
  const hint =
    `${name} differs from the event in packages/contracts/src/event.ts. If that is meant, run ` +
    '`npx -y pnpm@12 --filter @usher/contracts schemas` and commit what it writes.';
  expect(readFileSync(join(folder, name), 'utf8') === text, hint).toBe(true);
});

test.each([...eventSchemaFiles.keys()])('%s is found under the name of the package', (name) => {
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
