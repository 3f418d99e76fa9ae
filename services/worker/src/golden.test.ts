import { readFileSync } from 'node:fs';
import { Chunk, Dispatch, eventDetails, Pacing } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { batchOf } from './testing/messages.ts';
import { Quarantined, TestWorker } from './testing/test-worker.ts';

/** A golden vector as the text that is sent: JSON without spaces, in the order of the file. */
function vectorOf(name: string): string {
  return JSON.stringify(
    JSON.parse(readFileSync(new URL(`../../../test/golden/${name}.json`, import.meta.url), 'utf8')),
  );
}

/** The vector of an event, by its detail type. */
const eventVector = (detailType: string): string => vectorOf(`event-${detailType.toLowerCase().replaceAll(' ', '-')}`);

/** A message of a version to come, which names its chunk as today's do. */
const bad = JSON.stringify({ v: 2, bookingId: 'bk_aaaaaaaaaaaaaaaaaaaadvxtivbuits2jqa', chunk: 4 });

/** The events that the worker publishes: all but those that tell of reports. */
const published = Object.keys(eventDetails).filter((detailType) => detailType !== 'Daily Quota Report');

/** A worker that has settled the golden chunk beside a message that is none. */
async function settled(): Promise<TestWorker> {
  const worker = new TestWorker({ policy: { dailyLimit: 200, refillPerSecond: 0.1, burst: 1, thresholds: [0.5, 1] } });
  await worker.settle(batchOf({ good: vectorOf('chunk'), bad }));
  return worker;
}

test.each([
  ['chunk', Chunk],
  ['dispatch', Dispatch],
  ['pacing', Pacing],
] as const)('a %s is read, and written again to the same text', (name, schema) => {
  expect(JSON.stringify(schema.assert(JSON.parse(vectorOf(name))))).toBe(vectorOf(name));
});

test('a message in quarantine is read, and written again to the same text', () => {
  expect(JSON.stringify(Quarantined.assert(vectorOf('quarantine')))).toBe(vectorOf('quarantine'));
});

test.each(Object.entries(eventDetails))('the event %s is read, and written again to the same text', (name, schema) => {
  const read: unknown = schema(JSON.parse(eventVector(name)));
  expect(read).not.toBeInstanceOf(type.errors);
  expect(JSON.stringify(read)).toBe(eventVector(name));
});

test('the worker sends and publishes the golden messages for the golden chunk, to the letter', async () => {
  const worker = await settled();
  const sent = (queue: 'dispatch' | 'pacing' | 'quarantine') => worker.sent(queue).map(({ body }) => body);
  expect(sent('dispatch')).toEqual([vectorOf('dispatch')]);
  expect(sent('pacing')).toEqual([vectorOf('pacing')]);
  expect(sent('quarantine')).toEqual([vectorOf('quarantine')]);
  for (const detailType of published) {
    expect(worker.events(detailType).map(({ detail }) => detail)).toEqual([eventVector(detailType)]);
  }
});
