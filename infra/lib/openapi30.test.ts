import { eventSchemas } from '@usher/contracts';
import { expect, test } from 'vitest';
import { toOpenApi30, UnknownKeywordError } from './openapi30.ts';

test('a constant becomes an enum of one', () => {
  expect(toOpenApi30({ const: 1 })).toEqual({ enum: [1] });
});

test('an exclusive bound becomes a bound with a flag', () => {
  expect(toOpenApi30({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 })).toEqual({
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 9,
    exclusiveMaximum: true,
  });
});

test('properties, items and alternatives are translated all the way down', () => {
  const inner = { const: 'x' };
  const schema = { properties: { const: { items: { anyOf: [inner, { type: 'string' }] } } } };
  expect(toOpenApi30(schema)).toEqual({
    properties: { const: { items: { anyOf: [{ enum: ['x'] }, { type: 'string' }] } } },
  });
});

test('a keyword without a translation is refused, not dropped', () => {
  expect(() => toOpenApi30({ prefixItems: [] })).toThrow(UnknownKeywordError);
});

test.each(Object.entries(eventSchemas))('%s has a translation', (_, schema) => {
  expect(toOpenApi30(schema)).toMatchObject({ type: 'object', required: ['data', 'metadata'] });
});
