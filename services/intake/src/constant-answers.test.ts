import { ProblemPage } from '@usher/contracts';
import { expect, test } from 'vitest';
import { problemOf } from './testing/answers.ts';
import { startIntake } from './testing/start-intake.ts';

test('health and the OpenAPI document need no caller', async () => {
  const intake = await startIntake();
  const health = await intake.fetch('/health', { headers: { authorization: '' } });
  expect(await health.json()).toEqual({ status: 'ok' });
  const document = await intake.fetch('/openapi.json', { headers: { authorization: '' } });
  expect(await document.json()).toMatchObject({ openapi: '3.1.0' });
});

test('constant answers are the same bytes, and a type leads to its page', async () => {
  const intake = await startIntake();
  for (const path of ['/health', '/openapi.json', '/problems/invalid-body']) {
    const [first, again] = [await intake.fetch(path), await intake.fetch(path)];
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(await first.text()).toBe(await again.text());
  }
  const { type } = await problemOf(await intake.fetch('/v1/bookings', { method: 'PUT' }));
  expect(ProblemPage.assert(await (await intake.fetch(type)).json())).toMatchObject({ type, status: 405 });
});

test('the API description may be kept, and a client that has it is told so; nothing else may be kept', async () => {
  const intake = await startIntake();
  const document = await intake.fetch('/openapi.json');
  const tag = document.headers.get('etag') ?? '';
  expect([tag, document.headers.get('cache-control')]).toEqual([
    expect.stringMatching(/^"[\w-]{22}"$/),
    'public, max-age=3600',
  ]);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const again = await intake.fetch('/openapi.json', { headers: { 'if-none-match': known } });
    expect([known, again.status, await again.text(), again.headers.get('etag')]).toEqual([known, 304, '', tag]);
  }
  const other = await intake.fetch('/openapi.json', { headers: { 'if-none-match': '"other"' } });
  expect(other.status).toBe(200);
  for (const path of ['/health', '/v1/quota', '/problems/forbidden', '/nothing']) {
    expect([path, (await intake.fetch(path)).headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
});
