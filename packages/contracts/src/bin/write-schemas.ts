import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventSchemaFiles } from '../event-schema-files.ts';
import { eventTypeFiles } from '../event-type-files.ts';

/** Writes the JSON Schemas and types of all events anew, for a change of an event that is meant. */
const folder = join(import.meta.dirname, '../../schemas');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, text] of [...eventSchemaFiles, ...eventTypeFiles]) writeFileSync(join(folder, name), text);
