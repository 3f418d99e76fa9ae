import { expect, test } from 'vitest';
import { startIntake, type TestIntake } from './testing/start-intake.ts';

const fourMiB = 4 * 1024 * 1024;

test('a body that is not UTF-8 is no JSON', async () => {
  const intake = await startIntake();
  const response = await send(intake, Buffer.from('{"reservations":[{"id":"\xff"}]}', 'latin1'), {});
  expect(response.status).toBe(400);
  await expectNothing(intake);
});

test('the size is counted as bytes arrive, whatever Content-Length says, and reading stops at the limit', async () => {
  const intake = await startIntake();
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const response = await send(intake, endless, { 'content-length': '10' });
  expect(response.status).toBe(413);
  expect(pulled).toBeLessThan(fourMiB + 3 * 65_536);
  await expectNothing(intake);
});

test('a Content-Length over the limit is refused without reading', async () => {
  const intake = await startIntake();
  const response = await send(intake, '{}', { 'content-length': String(fourMiB + 1) });
  expect(response.status).toBe(413);
});

test('details that only look bad go through as they were sent', async () => {
  const intake = await startIntake();
  const deep = `${'['.repeat(63)}${']'.repeat(63)}`;
  const sent = `{"a":1.10,"b":1e2,"c":-0,"d":0.1,"e":9007199254740992,"f":${deep},"__proto__":{"x":1},"constructor":"𝄞"}`;
  const body = `{"reservations":[{"id":"${'𝄞'.repeat(128)}","cost":1e1,"details":${sent}}]}`;
  expect((await intake.submit(body)).status).toBe(202);
  const message = intake.queue.calls[0]?.[0]?.MessageBody ?? '';
  expect(message).toContain(
    `"details":{"a":1.1,"b":100,"c":0,"d":0.1,"e":9007199254740992,"f":${deep},"__proto__":{"x":1},"constructor":"𝄞"}`,
  );
});

async function expectNothing(intake: TestIntake): Promise<void> {
  expect(await intake.table.items()).toEqual([]);
  expect(intake.queue.calls).toEqual([]);
}

function send(
  intake: TestIntake,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string>,
): Promise<Response> {
  return intake.fetch('/v1/bookings', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1', ...headers },
    body,
    ...{ duplex: 'half' },
  });
}
