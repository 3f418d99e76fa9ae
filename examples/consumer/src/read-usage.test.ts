import { expect, test } from 'vitest';
import { BadEventError, readUsage } from './read-usage.ts';
import { bodyOf, sampleDetail } from './sample-events.ts';

const sample = sampleDetail({ chunk: 0, granted: 40, used: 40, decidedAt: '2026-11-29T12:00:00.000Z' });

test('an event is read as it was published', () => {
  expect(readUsage(bodyOf(sample))).toEqual(sample);
});

test.each([
  ['no JSON', '{'],
  ['no event', '{"Message":"hello"}'],
  ['an event of another kind', bodyOf(sample, 'Quota Threshold Reached')],
  ['an event without its data', bodyOf({ metadata: sample.metadata })],
  ['a field more', bodyOf({ ...sample, data: { ...sample.data, secret: 'passport' } })],
  ['a version that it does not know', bodyOf({ ...sample, metadata: { ...sample.metadata, schemaVersion: 2 } })],
  ['a count that is no whole number', bodyOf({ ...sample, data: { ...sample.data, used: 0.5 } })],
])('%s is a bad event', (_, body) => {
  expect(() => readUsage(body)).toThrow(BadEventError);
});

test('the error names the field and repeats no value', () => {
  const read = () => readUsage(bodyOf({ ...sample, data: { ...sample.data, accountId: 'passport C01X00T47' } }));
  expect(read).toThrow('/data/accountId');
  expect(read).not.toThrow('C01X00T47');
});
