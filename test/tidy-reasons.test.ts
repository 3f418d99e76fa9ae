import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DecidedReservation, eventSchemas, openApiDocument } from '@usher/contracts';
import { rejectReasons } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { expect, test } from 'vitest';

const Document = type({ components: { schemas: { RejectReason: { enum: 'string[]', description: 'string' } } } });
const component = Document.assert(openApiDocument).components.schemas.RejectReason;

test('the API document lists the reasons that settle knows, and no others', () => {
  expect(component.enum.toSorted()).toEqual(rejectReasons.toSorted());
});

test.each(rejectReasons)('the reason %s is told wherever reasons are', (reason) => {
  expect(component.description).toContain(`\`${reason}\``);
  expect(DecidedReservation.allows({ id: 'r-1', decision: 'rejected', cost: 1, reason })).toBe(true);
  expect(JSON.stringify(eventSchemas)).toContain(`"${reason}"`);
  expect(readFileSync(join(import.meta.dirname, '../docs/contracts.md'), 'utf8')).toContain(`\`${reason}\``);
});
