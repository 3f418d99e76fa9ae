import { writeFileSync } from 'node:fs';
import { reportSchemas, schemaText } from '../model/schemas.ts';

// Writes the JSON Schemas of reports anew; a test tells when they are not current.
for (const [name, schema] of Object.entries(reportSchemas)) {
  writeFileSync(new URL(`../../schemas/${name}`, import.meta.url), schemaText(schema));
}
