import { eventSchemaVersion } from './event.ts';
import { eventSchemas } from './json-schemas.ts';

/** The dialect of every schema. */
const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The JSON Schema of each event's detail as a file, by the file's name: `quota-usage-recorded.json`. They stand in
 * `schemas/` of this package, and a test compares.
 */
export const eventSchemaFiles: ReadonlyMap<string, string> = new Map(
  Object.entries(eventSchemas).map(([detailType, schema]) => {
    const slug = detailType.toLowerCase().replaceAll(' ', '-');
    const file = {
      $schema: dialect,
      $id: `urn:usher:event:${slug}:${eventSchemaVersion}`,
      title: detailType,
      ...schema,
    };
    return [`${slug}.json`, `${JSON.stringify(file, null, 2)}\n`];
  }),
);
