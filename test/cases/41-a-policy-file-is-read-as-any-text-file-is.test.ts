import { loadPolicies } from '@usher/local-stack/testing';
import { expect, test } from 'vitest';
import { pathOfInput } from '../support/booking-input.ts';

test.each(['policy-bom.json', 'policy-utf-16.json'])('case 41: %s holds its policy', async (name) => {
  const { overrides } = await loadPolicies(pathOfInput(name));
  expect(overrides).toEqual(new Map([['harbour-tours', { dailyLimit: 3 }]]));
});

test('case 41: what is no text for one reader is none for the other', async () => {
  const file = pathOfInput('windows-1252.csv');
  await expect(loadPolicies(file)).rejects.toThrow(`Policy file ${file}:2: the byte 0x96`);
});
