import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { createClients } from './clients.ts';

test("the table's client reads numbers so that one account's item fails no other account", () => {
  const { translateConfig } = createClients().dynamoDb.config;
  expect(translateConfig?.unmarshallOptions).toMatchObject(documentTranslation.unmarshallOptions ?? {});
});
