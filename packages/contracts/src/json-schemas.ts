import { BookingAccepted, BookingList, BookingRequest, BookingStatus } from './booking.ts';
import { Chunk } from './chunk.ts';
import { Dispatch, Pacing } from './dispatch.ts';
import { type EventDetailType, eventDetails } from './event.ts';
import { describeEvent, eventMeanings } from './event-descriptions.ts';
import { Health } from './health.ts';
import { portablePattern } from './portable-pattern.ts';
import { Problem, ProblemPage } from './problem.ts';
import { Quota } from './quota.ts';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const bodies = { BookingRequest, BookingAccepted, BookingStatus, BookingList, Quota, Health, Problem, ProblemPage };
const messages = { Chunk, Dispatch, Pacing };

/** JSON Schemas of the HTTP bodies, by name. */
export const bodySchemas: Readonly<Record<keyof typeof bodies, JsonSchema>> = schemasOf(bodies);
/** JSON Schemas of the queue messages, by name. */
export const messageSchemas: Readonly<Record<keyof typeof messages, JsonSchema>> = schemasOf(messages);
/** JSON Schemas of the events' details, by detail-type, with a description of every field. */
export const eventSchemas: Readonly<Record<EventDetailType, JsonSchema>> = schemasOf(eventDetails, (schema, name) =>
  describeEvent(schema, eventMeanings[name]),
);

interface Described {
  toJsonSchema(options: { dialect: null; fallback: (context: { base: object }) => object }): object;
}

/**
 * Makes JSON Schemas of arktype's types, by name, with patterns that every engine reads. Rules that JSON Schema cannot
 * say, such as "unique within the booking", are left to the descriptions.
 */
export function schemasOf<K extends string>(
  types: Readonly<Record<K, Described>>,
  finish?: (schema: JsonSchema, name: K) => JsonSchema,
): Readonly<Record<K, JsonSchema>>;
export function schemasOf(
  types: Readonly<Record<string, Described>>,
  finish: (schema: JsonSchema, name: string) => JsonSchema = (schema) => schema,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(types).map(([name, of]) => [name, finish(schemaOf(of), name)]));
}

function schemaOf(of: Described): JsonSchema {
  const schema = of.toJsonSchema({ dialect: null, fallback: ({ base }) => base });
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') return portablePattern(value);
    return isEnumOfText(value) ? { type: 'string', ...value } : value;
  });
}

function isEnumOfText(value: unknown): value is { readonly enum: readonly string[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'enum' in value &&
    Array.isArray(value.enum) &&
    value.enum.every((item) => typeof item === 'string')
  );
}
