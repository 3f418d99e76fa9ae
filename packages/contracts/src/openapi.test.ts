import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { routes } from './api-routes.ts';
import { bodySchemas, eventSchemas, messageSchemas } from './json-schemas.ts';
import { openApiDocument } from './openapi.ts';
import { problems } from './problem-list.ts';

/** The document as a client reads it. */
const document: unknown = JSON.parse(JSON.stringify(openApiDocument));

function at(pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => fieldsOf(value).get(key), document);
}

function fieldsOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** The answers of each route, as contracts.md lists them. */
const contract = {
  'post /v1/bookings': [202, 400, 401, 403, 405, 409, 413, 415, 422, 429, 500, 503],
  'get /v1/bookings': [200, 400, 401, 403, 405, 429, 500, 503],
  'get /v1/bookings/{bookingId}': [200, 400, 401, 403, 404, 405, 429, 500, 503],
  'get /v1/quota': [200, 400, 401, 403, 404, 405, 429, 500, 503],
  'get /openapi.json': [200, 304, 400, 405, 500],
  'get /health': [200, 400, 405, 500],
  'get /problems/{name}': [200, 400, 404, 405, 500],
};

test('the document has every route with every status of the contract', () => {
  const documented = [...fieldsOf(at('/paths'))].flatMap(([path, operations]) =>
    [...fieldsOf(operations)].map(([method, operation]) => [
      `${method} ${path}`,
      [...fieldsOf(fieldsOf(operation).get('responses')).keys()].map(Number),
    ]),
  );
  expect(Object.fromEntries(documented)).toEqual(contract);
});

test('every reference of the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)].map(([, pointer = '']) => pointer);
  expect(references.length).toBeGreaterThan(20);
  for (const pointer of new Set(references)) expect([pointer, at(pointer)]).not.toEqual([pointer, undefined]);
});

test('every problem is documented by some route', () => {
  const documented = new Set(routes.flatMap((route) => route.problems));
  expect([...documented].sort()).toEqual(Object.keys(problems).sort());
});

test('all schemas are valid JSON Schema 2020-12, closed to unknown fields', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  for (const [name, schema] of Object.entries({ ...bodySchemas, ...messageSchemas, ...eventSchemas })) {
    expect([name, ajv.validateSchema(schema)]).toEqual([name, true]);
    expect(() => ajv.compile(schema)).not.toThrow();
    expect([name, schema.additionalProperties]).toEqual([name, false]);
  }
});

test('bodies that break a rule of JSON Schema are invalid', () => {
  const ajv = new Ajv2020({ strictTypes: false });
  const bad = [{ id: '' }, { id: 'a\u0000' }, { id: '𝄞'.repeat(129) }, { id: 'a', cost: 1.5 }, { id: 'a', extra: 1 }];
  for (const row of bad) {
    expect([row, ajv.validate(bodySchemas.BookingRequest, { reservations: [row] })]).toEqual([row, false]);
  }
  expect(ajv.validate(bodySchemas.BookingRequest, { reservations: [{ id: '𝄞'.repeat(128) }] })).toBe(true);
});
