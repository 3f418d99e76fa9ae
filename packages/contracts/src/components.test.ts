import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { examples } from './api-examples.ts';
import { BookingAccepted, BookingList, BookingRequest, BookingStatus } from './booking.ts';
import { Instant, PlainDate } from './fields.ts';
import { Health } from './health.ts';
import { openApiDocument } from './openapi.ts';
import { ProblemPage, problemMediaType } from './problem.ts';
import { type ProblemName, problems } from './problem-list.ts';
import { problemSchemaName, problemSchemas } from './problem-schemas.ts';
import { Quota } from './quota.ts';

/** The document as a client reads it. */
const document: unknown = JSON.parse(JSON.stringify(openApiDocument));

function at(...path: string[]): Map<string, unknown> {
  return fieldsOf(path.reduce<unknown>((value, key) => fieldsOf(value).get(key), document));
}

function fieldsOf(value: unknown): Map<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

/** Checks a value by a schema of the document, as a client does: references lead into the document. */
function validatorOf(name: string): (value: unknown) => unknown {
  const ajv = new Ajv2020({ strictTypes: false, strictRequired: false });
  ajv
    .addFormat('date-time', (text: string) => Instant.allows(text))
    .addFormat('date', (text: string) => PlainDate.allows(text));
  ajv.addVocabulary(['components']);
  const validate = ajv.compile({
    components: { schemas: Object.fromEntries(at('components', 'schemas')) },
    $ref: `#/components/schemas/${name}`,
  });
  return (value) => (validate(value) ? null : validate.errors);
}

test('the examples are what the schemas allow, in arktype and in JSON Schema alike', () => {
  const types = { BookingRequest, BookingAccepted, BookingStatus, BookingList, Quota, Health, ProblemPage };
  for (const [name, schema] of Object.entries(types)) {
    const example = fieldsOf(examples).get(name);
    expect([name, schema.allows(example)]).toEqual([name, true]);
    expect([name, validatorOf(name)(example)]).toEqual([name, null]);
  }
});

test('each answer of a problem has examples, and each is of its own schema and no other', () => {
  const answers = [...at('paths')].flatMap(([, operations]) =>
    [...fieldsOf(operations)].flatMap(([, operation]) => [...fieldsOf(fieldsOf(operation).get('responses'))]),
  );
  const bodies = answers.map(([, answer]) => fieldsOf(fieldsOf(fieldsOf(answer).get('content')).get(problemMediaType)));
  const told = new Map(bodies.flatMap((body) => [...fieldsOf(body.get('examples'))]));
  expect([...told.keys()].sort()).toEqual(Object.keys(problems).sort());
  const validators = [...fieldsOf(problemSchemas).keys()].map((name) => [name, validatorOf(name)] as const);
  for (const [name, example] of told) {
    const value = fieldsOf(example).get('value');
    const fitting = validators.filter(([, validate]) => validate(value) === null);
    expect([name, fitting.map(([schema]) => schema)]).toEqual([name, [problemSchemaName(problemNameOf(name))]]);
  }
});

function problemNameOf(text: string): ProblemName {
  const name = Object.keys(problems).find((known): known is ProblemName => known === text);
  if (name === undefined) throw new Error(`${text} is no problem`);
  return name;
}

test('every named schema is a part of some other or of some answer, and says what it is', () => {
  const referred = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  );
  const schemas = at('components', 'schemas');
  expect([...schemas.keys()].filter((name) => !referred.has(name))).toEqual([]);
  for (const [name, schema] of schemas)
    expect([name, fieldsOf(schema).get('description')]).toEqual([name, expect.any(String)]);
});

test('every value of an enum is described', () => {
  const enums = [...at('components', 'schemas')].filter(([, schema]) => fieldsOf(schema).has('enum'));
  expect(enums.map(([name]) => name).sort()).toEqual(['BookingMode', 'BookingState', 'RejectReason']);
  for (const [name, schema] of enums) {
    const values = fieldsOf(fieldsOf(schema).get('enum'));
    for (const value of values.values()) {
      expect([name, fieldsOf(schema).get('description')]).toEqual([name, expect.stringContaining(`\`${value}\``)]);
    }
  }
});
