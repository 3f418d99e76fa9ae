import { eventSchemas, type JsonSchema } from './json-schemas.ts';

/**
 * The TypeScript type of each event's detail as a file, by the file's name: `quota-usage-recorded.d.ts`. It needs no
 * package: whoever copies it with the schema beside it has both. They are made of the schemas, and a test compares them
 * with the types that Usher itself uses.
 */
export const eventTypeFiles: ReadonlyMap<string, string> = new Map(
  Object.entries(eventSchemas).map(([detailType, schema]) => {
    const slug = detailType.toLowerCase().replaceAll(' ', '-');
    const name = detailType.replaceAll(' ', '');
    return [`${slug}.d.ts`, `${meaning(schema, '')}export interface ${name} ${typeOf(schema, '')}\n`];
  }),
);

/** The type of what a schema allows. @throws Error for a schema of a kind that no event has */
function typeOf(schema: JsonSchema, indent: string): string {
  const { type, const: only, enum: values, anyOf, items } = schema;
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return values.map(literal).join(' | ');
  if (Array.isArray(anyOf)) return unionOf(anyOf.filter(isSchema).map((one) => typeOf(one, indent)));
  if (type === 'array' && isSchema(items)) return `${typeOf(items, indent)}[]`;
  if (type === 'object' && isSchema(schema.properties)) return objectOf(schema, schema.properties, indent);
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'string';
  throw new Error(`no type is known for ${JSON.stringify(schema)}`);
}

function objectOf({ required }: JsonSchema, properties: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    if (!isSchema(field)) throw new Error(`the field ${name} has no schema`);
    const isNeeded = Array.isArray(required) && required.includes(name);
    return `${meaning(field, inner)}${inner}${name}${isNeeded ? '' : '?'}: ${typeOf(field, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** A union without the literals that a wider member holds. */
function unionOf(members: readonly string[]): string {
  return members.includes('string') ? 'string' : [...new Set(members)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function meaning({ description }: JsonSchema, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description} */\n` : '';
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
