import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { virtualClock } from './clock.ts';
import { albEvent, httpApiEvent, restApiEvent } from './http/testing/events.ts';
import { valueAt } from './http/unknown.ts';
import { addressKey, limitEvent, tokenKey, withLimit } from './lambda.ts';
import { createLimiter } from './limiter/limiter.ts';
import { fixedWindow } from './limiter/strategies/window.ts';

const ada = { iss: 'https://issuer.example', sub: 'ada' };
const newLimiter = () =>
  createLimiter({
    strategy: fixedWindow({ limit: 2, windowMs: 60_000 }),
    clock: virtualClock('2026-03-10T12:00:00Z'),
  });

async function keyOf(event: object, trustProxies: number | readonly string[] = 0): Promise<string> {
  const keys: string[] = [];
  const limiter = createLimiter({
    strategy: fixedWindow({ limit: 2, windowMs: 60_000 }),
    onDecision: ({ key }) => keys.push(key),
  });
  await limitEvent(limiter, event, { trustProxies });
  return keys.join();
}

describe('the caller of an event', () => {
  test.each([
    ['of an HTTP API', httpApiEvent({ claims: ada })],
    ['of a REST API', restApiEvent({ claims: ada })],
  ])('%s is who its authorizer has verified', async (_name, event) => {
    expect(await keyOf(event)).toBe(tokenKey(ada));
  });

  test.each([
    ['of an HTTP API', httpApiEvent({ sourceIp: '192.0.2.7', headers: { 'x-forwarded-for': '6.6.6.6, 192.0.2.7' } })],
    ['of a REST API', restApiEvent({ sourceIp: '192.0.2.7', headers: { 'X-Forwarded-For': '6.6.6.6' } })],
    ['of a load balancer', albEvent({ forwardedFor: ['6.6.6.6', '192.0.2.7'] })],
    ['of a load balancer that sends lists', albEvent({ forwardedFor: ['6.6.6.6', '192.0.2.7'], isMultiValue: true })],
    ['of a load balancer that tells ports', albEvent({ forwardedFor: ['6.6.6.6', '192.0.2.7:49152'] })],
  ])('%s without claims is the address that connects, and no other that a header names', async (_name, event) => {
    expect(await keyOf(event)).toBe(addressKey('192.0.2.7'));
  });

  test.each([
    { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJpc3MiOiJpIiwic3ViIjoicyJ9.' },
    { 'x-amzn-request-context': JSON.stringify({ authorizer: { jwt: { claims: ada } } }) },
  ])('is not who a header claims to be: %j', async (headers) => {
    expect(await keyOf(httpApiEvent({ headers }))).toBe(addressKey('203.0.113.7'));
  });

  test.each([
    [
      'HTTP API',
      httpApiEvent({ sourceIp: '10.0.0.1', headers: { 'x-forwarded-for': '6.6.6.6, 192.0.2.7, 10.0.0.1' } }),
    ],
    [
      'REST API',
      restApiEvent({ sourceIp: '10.0.0.1', headers: { 'X-Forwarded-For': '6.6.6.6, 192.0.2.7, 10.0.0.1' } }),
    ],
    ['load balancer', albEvent({ forwardedFor: ['6.6.6.6', '192.0.2.7', '10.0.0.1'] })],
    ['load balancer', albEvent({ forwardedFor: ['6.6.6.6', '192.0.2.7', '10.0.0.1'], isMultiValue: true })],
  ])('behind a trusted proxy before the %s is the one that the proxy names', async (_name, event) => {
    expect(await keyOf(event, 1)).toBe(addressKey('192.0.2.7'));
    expect(await keyOf(event, ['10.0.0.0/8'])).toBe(addressKey('192.0.2.7'));
  });

  test('is unknown where the load balancer adds no address', async () => {
    expect(await keyOf(albEvent({ forwardedFor: [] }))).toBe('address:unknown');
  });

  test('cannot be told of what is no proxy event, unless a key or an address is given or it is skipped', async () => {
    const event = { source: 'aws.events' };
    await expect(limitEvent(newLimiter(), event)).rejects.toThrow('event must be a proxy event');
    expect((await limitEvent(newLimiter(), event, { key: () => 'timer' })).response).toBeUndefined();
    const limiter = newLimiter();
    expect((await limitEvent(limiter, event, { address: () => '192.0.2.7' })).response).toBeUndefined();
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(1);
    const { answer } = await limitEvent(newLimiter(), event, { skip: ({ source }) => source === 'aws.events' });
    expect(await answer('warm')).toBe('warm');
  });
});

describe('a handler behind a limiter', () => {
  test('answers with its own result, and headers that tell the limits', async () => {
    const handler = withLimit(
      newLimiter(),
      async (event: APIGatewayProxyEventV2, { awsRequestId }: Pick<Context, 'awsRequestId'>) => ({
        statusCode: 201,
        headers: { 'Content-Type': 'text/plain' },
        body: `${event.rawPath} ${awsRequestId}`,
      }),
    );
    expect(await handler(httpApiEvent() as unknown as APIGatewayProxyEventV2, { awsRequestId: 'r-1' })).toEqual({
      statusCode: 201,
      headers: {
        'RateLimit-Policy': '"default";q=2;w=60',
        RateLimit: '"default";r=1;t=60',
        'Content-Type': 'text/plain',
      },
      body: '/things r-1',
    });
  });

  test.each([
    ['an object', { a: 1 }, '{"a":1}'],
    ['a string', 'hello', 'hello'],
  ])('may answer %s alone where payload format 2.0 allows it', async (_name, result, body) => {
    const handler = withLimit(newLimiter(), () => result);
    expect(await handler(httpApiEvent())).toMatchObject({
      statusCode: 200,
      headers: { 'Content-Type': 'application/json', RateLimit: '"default";r=1;t=60' },
      body,
    });
    expect(await handler(restApiEvent())).toBe(result);
  });

  test.each([
    ['in another case', httpApiEvent(), { headers: { ratelimit: 'own' } }],
    ['in a list', restApiEvent(), { multiValueHeaders: { 'RATELIMIT-POLICY': ['own'], ratelimit: ['own'] } }],
    [
      'in no list, to a load balancer that reads lists',
      albEvent({ isMultiValue: true }),
      { headers: { ratelimit: 'own' } },
    ],
  ])('keeps a header of its own %s, and none is told twice', async (_name, event, own) => {
    const handler = withLimit(newLimiter(), () => ({ statusCode: 200, ...own }));
    const answer: unknown = await handler(event);
    const names = ['headers', 'multiValueHeaders'].flatMap((list) => Object.keys(Object(valueAt(answer, list))));
    expect(names.filter((name) => name.toLowerCase() === 'ratelimit')).toEqual(['ratelimit']);
    expect(answer).toMatchObject(own);
  });

  test('may answer a status code as text, as API Gateway takes it', async () => {
    const handler = withLimit(newLimiter(), () => ({ statusCode: '404', body: 'nothing' }));
    for (const event of [httpApiEvent(), restApiEvent()]) {
      expect(await handler(event)).toMatchObject({
        statusCode: '404',
        headers: { RateLimit: expect.stringContaining('"default";r=') },
        body: 'nothing',
      });
    }
  });

  test('is not called once the limit is used up, and the answer says why', async () => {
    let calls = 0;
    const handler = withLimit(newLimiter(), () => {
      calls++;
      return { statusCode: 200 };
    });
    for (let i = 0; i < 2; i++) await handler(httpApiEvent());
    expect(await handler(httpApiEvent())).toEqual({
      statusCode: 429,
      headers: {
        'Content-Type': 'application/problem+json',
        'Cache-Control': 'no-store',
        'RateLimit-Policy': '"default";q=2;w=60',
        RateLimit: '"default";r=0;t=60',
        'Retry-After': '60',
      },
      body: JSON.stringify({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Too Many Requests',
        status: 429,
        detail: 'The request needs 1 unit, and none is free. Try again in 60 seconds.',
        'violated-policies': ['default'],
      }),
      isBase64Encoded: false,
    });
    expect(calls).toBe(2);
  });

  test('answers lists of headers to a load balancer that reads nothing else', async () => {
    const handler = withLimit(newLimiter(), () => ({
      statusCode: 200,
      multiValueHeaders: { 'Set-Cookie': ['a', 'b'] },
    }));
    const event = albEvent({ isMultiValue: true });
    expect(await handler(event)).toMatchObject({
      multiValueHeaders: { RateLimit: ['"default";r=1;t=60'], 'Set-Cookie': ['a', 'b'] },
    });
    await handler(event);
    expect(await handler(event)).toMatchObject({ statusCode: 429, multiValueHeaders: { 'Retry-After': ['60'] } });
  });

  test('gives the cost of a response that does not count back before it answers', async () => {
    const limiter = newLimiter();
    const handler = withLimit(limiter, () => ({ statusCode: 502 }), {
      countIf: ({ statusCode }) => statusCode < 500,
    });
    for (let i = 0; i < 5; i++) expect(await handler(httpApiEvent())).toMatchObject({ statusCode: 502 });
    expect((await limiter.peek(addressKey('203.0.113.7'))).remaining).toBe(2);
  });

  test('that throws counts as one that answers 500, and its error goes on', async () => {
    const limiter = newLimiter();
    const responses: unknown[] = [];
    const handler = withLimit(
      limiter,
      () => {
        throw new Error('broken');
      },
      { countIf: (response) => responses.push(response) < 0 },
    );
    await expect(handler(restApiEvent())).rejects.toThrow('broken');
    expect(responses).toEqual([{ statusCode: 500 }]);
    expect((await limiter.peek(addressKey('203.0.113.7'))).remaining).toBe(2);
  });

  test('has its options checked when it is made', () => {
    expect(() => withLimit(newLimiter(), () => undefined, { trustProxies: ['nobody'] })).toThrow('trustProxies[0]');
  });

  test('takes the types of AWS, and options that read the event', async () => {
    const limiter = newLimiter();
    const rest = withLimit(limiter, async (_event: APIGatewayProxyEvent) => ({ statusCode: 200, body: '' }), {
      key: ({ path }) => path,
    });
    const alb = withLimit(limiter, async (_event: ALBEvent) => ({ statusCode: 200, body: '' }), {
      cost: ({ httpMethod }) => (httpMethod === 'GET' ? 1 : 2),
    });
    expect(await rest(restApiEvent() as unknown as APIGatewayProxyEvent)).toMatchObject({ statusCode: 200 });
    expect(await alb(albEvent() as unknown as ALBEvent)).toMatchObject({ statusCode: 200 });
  });
});
