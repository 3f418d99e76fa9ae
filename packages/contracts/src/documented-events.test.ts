import { readFileSync } from 'node:fs';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { eventDetails } from './event.ts';
import { eventSchemas } from './json-schemas.ts';

const contracts = readFileSync(new URL('../../../docs/contracts.md', import.meta.url), 'utf8');
const section = contracts.split(/^## /m).find((text) => text.startsWith('Events')) ?? '';

const Detail = type({
  properties: { data: { properties: { '[string]': 'unknown' }, required: 'string[]' } },
});

/** The rows of the table of events: each event's name and the fields of its data, an optional one with a `?`. */
const documented = new Map(
  [...section.matchAll(/^\| ([A-Z][^|]*?) \| ([^|]*?) \|/gm)].map(([, name = '', fields = '']) => {
    const names = fields.replaceAll(/\[?\{[^}]*\}\]?|\([^)]*\)/g, '').split(',');
    return [name, names.map((field) => field.trim()).toSorted()];
  }),
);

test('every event stands in contracts.md, and nothing else does', () => {
  expect([...documented.keys()]).toEqual(Object.keys(eventDetails));
});

test.each(Object.entries(eventSchemas))('%s has in contracts.md the fields of its schema', (name, schema) => {
  const { properties, required } = Detail.assert(schema).properties.data;
  const fields = Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`));
  expect(documented.get(name)).toEqual(fields.toSorted());
});
