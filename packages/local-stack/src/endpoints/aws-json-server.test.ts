import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bodyBudgetBytes } from './endpoint-server.ts';
import type { Fault, InterceptedCall } from './intercept.ts';
import { type Endpoints, startEndpoints } from './start-endpoints.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** A request as no SDK would make it. */
function post(url: string, options: { target?: string; host?: string; body: string | Buffer }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      Host: options.host ?? new URL(url).host,
      'X-Amz-Target': options.target ?? 'AmazonSQS.ListQueues',
    };
    const sent = request(url, { method: 'POST', headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(Buffer.from(part));
      resolve({ status: response.statusCode, body: Buffer.concat(parts).toString() });
    });
    sent.on('error', reject);
    sent.end(options.body);
  });
}

describe('an endpoint', () => {
  let fault: (call: InterceptedCall) => Fault | Promise<Fault>;
  let endpoints: Endpoints;
  let sqs: SQSClient;
  let QueueUrl: string | undefined;

  beforeEach(async () => {
    fault = () => 'pass';
    endpoints = await startEndpoints({ clock: systemClock, intercept: (call) => fault(call) });
    sqs = new SQSClient({ ...localClientConfig(endpoints.sqsUrl), maxAttempts: 1 });
    ({ QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' })));
  });
  afterEach(async () => {
    sqs.destroy();
    await endpoints.close();
  });

  const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));

  async function bodies(): Promise<unknown[]> {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    return Messages.map(({ Body }) => Body);
  }

  test.each(['sqsUrl', 'eventBridgeUrl', 'dynamoDbUrl'] as const)(
    'at %s refuses a Host that is not loopback, and takes localhost',
    async (name) => {
      const url = endpoints[name];
      const port = new URL(url).port;
      for (const host of ['attacker.example', `attacker.example:${port}`, '127.0.0.1.attacker.example']) {
        expect((await post(url, { host, body: '{}' })).status).toBe(403);
      }
      expect((await post(url, { host: `localhost:${port}`, body: '{}' })).status).not.toBe(403);
    },
  );

  test('names an operation it does not know', async () => {
    const answer = await post(endpoints.sqsUrl, { target: 'AmazonSQS.MakeCoffee', body: '{}' });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('UnknownOperationException');
    const elsewhere = await post(endpoints.eventBridgeUrl, { target: 'AmazonSQS.ListQueues', body: '{}' });
    expect(elsewhere.body).toContain('UnknownOperationException');
  });

  test.each([
    ['broken JSON', '{'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('refuses %s', async (_, body) => {
    const answer = await post(endpoints.sqsUrl, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('SerializationException');
  });

  test('refuses input of a wrong type and names the field', async () => {
    const answer = await post(endpoints.sqsUrl, { target: 'AmazonSQS.SendMessage', body: '{"QueueUrl":7}' });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('QueueUrl must be a string');
  });

  test('refuses a body beyond its limit', async () => {
    const answer = await post(endpoints.sqsUrl, { body: 'a'.repeat(8 * 1024 * 1024 + 1) });
    expect(answer.status).toBe(413);
  });

  test('holds no more bodies at a time than it has room for', async () => {
    const released = Promise.withResolvers<Fault>();
    const room = Math.floor(bodyBudgetBytes / 8_000_000);
    const arrived = Promise.withResolvers<void>();
    let calls = 0;
    fault = () => {
      calls += 1;
      if (calls === room) arrived.resolve();
      return released.promise;
    };
    const body = `{"QueueNamePrefix":"${'a'.repeat(8_000_000 - 22)}"}`;
    const held = Array.from({ length: room }, () => post(endpoints.sqsUrl, { body }));
    await arrived.promise;
    const refused = await post(endpoints.sqsUrl, { body });
    expect(refused.status).toBe(503);
    expect(refused.body).toContain('ServiceUnavailable');
    released.resolve('pass');
    for (const answer of held) expect((await answer).status).toBe(200);
    expect((await post(endpoints.sqsUrl, { body })).status).toBe(200);
  });

  test('ends a long poll with an empty answer when it closes', async () => {
    const calls = Promise.withResolvers<void>();
    fault = ({ operation }) => {
      if (operation === 'ReceiveMessage') calls.resolve();
      return 'pass';
    };
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await calls.promise;
    await endpoints.close();
    expect((await poll).Messages).toBeUndefined();
    endpoints = await startEndpoints({ clock: systemClock });
  });

  test('answers a request that began before it closed, and ends its connection', async () => {
    const socket = connect(Number(new URL(endpoints.sqsUrl).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\n');
    await bodies();
    const closing = endpoints.close();
    const head = `Host: localhost\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nContent-Length: 2\r\n\r\n`;
    socket.write(`${head}{}`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('Connection: close');
    await closing;
    endpoints = await startEndpoints({ clock: systemClock });
  });

  test('hands nothing to a poll whose client has gone', async () => {
    const gone = new AbortController();
    const polling = Promise.withResolvers<void>();
    fault = () => {
      polling.resolve();
      return 'pass';
    };
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), { abortSignal: gone.signal });
    await polling.promise;
    gone.abort();
    await expect(poll).rejects.toThrow('abort');
    await send('a');
    expect(await bodies()).toEqual(['a']);
  });

  test('closes nothing under a call whose client has gone', async () => {
    const gone = new AbortController();
    const begun = Promise.withResolvers<void>();
    const stalled = Promise.withResolvers<Fault>();
    fault = () => {
      begun.resolve();
      return stalled.promise;
    };
    const sending = sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }), { abortSignal: gone.signal });
    await begun.promise;
    gone.abort();
    await expect(sending).rejects.toThrow('abort');
    const ends: string[] = [];
    const closing = endpoints.close().then(() => ends.push('closed'));
    // So long as it takes others to start and to close.
    endpoints = await startEndpoints({ clock: systemClock });
    await endpoints.close();
    endpoints = await startEndpoints({ clock: systemClock });
    ends.push('call goes on');
    stalled.resolve('pass');
    await closing;
    expect(ends).toEqual(['call goes on', 'closed']);
  });

  test('refuses a call with the error a test asks for', async () => {
    fault = () => ({ status: 503, type: 'ServiceUnavailable', message: 'try later' });
    await expect(send('a')).rejects.toMatchObject({ name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } });
  });

  test.each([
    { fault: 'drop-before', kept: [] },
    { fault: 'drop-after', kept: ['a'] },
  ] as const)('cuts the connection on $fault, with $kept kept', async ({ fault: drop, kept }) => {
    const seen: InterceptedCall[] = [];
    fault = (call) => {
      seen.push(call);
      return drop;
    };
    await expect(send('a')).rejects.toThrow();
    expect(seen).toEqual([
      { service: 'sqs', operation: 'SendMessage', input: expect.objectContaining({ MessageBody: 'a' }) },
    ]);
    fault = () => 'pass';
    expect(await bodies()).toEqual(kept);
  });

  test('stalls a call until a test lets it go', async () => {
    const { promise, resolve } = Promise.withResolvers<Fault>();
    fault = ({ operation }) => (operation === 'SendMessage' ? promise : 'pass');
    const sending = send('stalled');
    expect(await bodies()).toEqual([]);
    resolve('pass');
    await sending;
    expect(await bodies()).toEqual(['stalled']);
  });
});
