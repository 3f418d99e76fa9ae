import { type JsonSchema, schemasOf } from '@usher/contracts';
import { descriptions } from './descriptions.ts';
import { PartnerReport } from './partner.ts';
import { DayReport, reportSchemaVersion } from './report.ts';

const titles: Readonly<Record<string, string>> = {
  'daily-report': `Daily quota report, version ${reportSchemaVersion}`,
  'partner-report': `Daily quota report of one account, version ${reportSchemaVersion}`,
};

/** The published schemas, by the name of their file in `schemas/`. */
export const reportSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(schemasOf({ 'daily-report': DayReport, 'partner-report': PartnerReport })).map(([name, schema]) => [
    `${name}.schema.json`,
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:usher:report:${name}:${reportSchemaVersion}`,
      title: titles[name],
      ...described(schema),
    },
  ]),
);

/** The text of a schema's file. */
export function schemaText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The schema with the meaning of each property in place of the words that arktype makes of its rules. */
function described(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== 'properties' || typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, of]) => [name, { ...Object(of), description: descriptions[name] }]),
    );
  });
}
