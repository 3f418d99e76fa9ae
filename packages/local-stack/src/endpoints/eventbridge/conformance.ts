import { randomUUID } from 'node:crypto';
import {
  CreateEventBusCommand,
  DescribeEventBusCommand,
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type } from 'arktype';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The points in which emulators of EventBridge are known to differ; each is asserted. */
export interface EventBridgeFeatures {
  /** The answer to an event for an unknown bus. AWS takes the entry and drops it; the embedded endpoint says so. */
  readonly unknownBus: 'fails the entry' | 'takes the entry';
  /** The entries that EventBridge refuses and this implementation takes, by the names in badEntries. */
  readonly accepts: readonly string[];
  /** The Time that an event was put with: in the event, or not. */
  readonly givenTime: 'kept' | 'ignored';
  /** True where a call of 256 KB or more is refused as a whole. */
  readonly refusesLongCalls: boolean;
}

export interface EventBridgeConformance {
  /** Clients of the implementation under test, called once. */
  readonly makeClients: () => Promise<{ readonly events: EventBridgeClient; readonly sqs: SQSClient }>;
  readonly features: EventBridgeFeatures;
}

const badEntries: Readonly<Record<string, { entry: PutEventsRequestEntry; code: RegExp }>> = {
  'an entry without Source': { entry: { Source: undefined }, code: /InvalidArgument/ },
  'an entry without DetailType': { entry: { DetailType: undefined }, code: /InvalidArgument/ },
  'an entry without Detail': { entry: { Detail: undefined }, code: /InvalidArgument/ },
  'a Detail that is no JSON': { entry: { Detail: '{' }, code: /MalformedDetail/ },
  'a Detail that is no object': { entry: { Detail: '[1]' }, code: /MalformedDetail/ },
};

const Envelope = type('string.json.parse').to({
  version: '"0"',
  id: 'string > 0',
  'detail-type': 'string',
  source: 'string',
  account: /^\d{12}$/,
  time: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/,
  region: 'string',
  resources: 'string[]',
  detail: 'object',
});

/** Registers the suite with vitest. */
export function registerEventBridgeConformance({ makeClients, features }: EventBridgeConformance): void {
  let events: EventBridgeClient;
  let sqs: SQSClient;
  beforeAll(async () => {
    ({ events, sqs } = await makeClients());
  });
  afterAll(() => {
    events.destroy();
    sqs.destroy();
  });

  /** A new bus with one rule that sends what matches to a new queue. */
  async function makeBus(pattern: object): Promise<{ bus: string; QueueUrl: string }> {
    const bus = `bus-${randomUUID()}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `events-${randomUUID()}` }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    await events.send(new CreateEventBusCommand({ Name: bus }));
    await events.send(new PutRuleCommand({ EventBusName: bus, Name: 'r', EventPattern: JSON.stringify(pattern) }));
    await events.send(
      new PutTargetsCommand({ EventBusName: bus, Rule: 'r', Targets: [{ Id: 't', Arn: Attributes?.QueueArn }] }),
    );
    return { bus, QueueUrl };
  }

  const put = (bus: string, ...entries: PutEventsRequestEntry[]) =>
    events.send(
      new PutEventsCommand({
        Entries: entries.map((entry) => ({
          EventBusName: bus,
          Source: 'usher.quota',
          DetailType: 'Tested',
          Detail: '{}',
          ...entry,
        })),
      }),
    );

  async function delivered(QueueUrl: string): Promise<(typeof Envelope.infer)[]> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    return Messages.map(({ Body }) => Envelope.assert(Body));
  }

  const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

  describe('buses', () => {
    test('describes a bus it has created and refuses to create it twice', async () => {
      const { bus } = await makeBus({ source: ['usher.quota'] });
      expect(await events.send(new DescribeEventBusCommand({ Name: bus }))).toMatchObject({ Name: bus });
      const again = events.send(new CreateEventBusCommand({ Name: bus }));
      expect(await again.catch(nameOf)).toBe('ResourceAlreadyExistsException');
    });

    test('knows no bus that was not created', async () => {
      const call = events.send(new DescribeEventBusCommand({ Name: `none-${randomUUID()}` }));
      expect(await call.catch(nameOf)).toBe('ResourceNotFoundException');
    });
  });

  describe('rules', () => {
    test('delivers the envelope with the detail as it was sent', async () => {
      const { bus, QueueUrl } = await makeBus({ source: ['usher.quota'] });
      const answer = await put(bus, { Detail: '{"n":1,"s":"ü"}' });
      expect(answer.FailedEntryCount).toBe(0);
      const [event] = await delivered(QueueUrl);
      expect(event).toMatchObject({
        id: answer.Entries?.[0]?.EventId,
        source: 'usher.quota',
        'detail-type': 'Tested',
        detail: { n: 1, s: 'ü' },
      });
    });

    test(`has the Time an event was put with ${features.givenTime}`, async () => {
      const { bus, QueueUrl } = await makeBus({ source: ['usher.quota'] });
      await put(bus, { Time: new Date('2020-02-29T10:00:00Z') });
      const [event] = await delivered(QueueUrl);
      expect(event?.time === '2020-02-29T10:00:00Z').toBe(features.givenTime === 'kept');
    });

    test('matches on source, detail-type and fields of the detail, exactly or by prefix', async () => {
      const { bus, QueueUrl } = await makeBus({
        source: [{ prefix: 'usher.' }],
        'detail-type': ['A', 'B'],
        detail: { data: { mode: ['enforce'] } },
      });
      const matching = { DetailType: 'B', Detail: '{"data":{"mode":"enforce"}}' };
      await put(
        bus,
        matching,
        { ...matching, Source: 'other' },
        { ...matching, DetailType: 'C' },
        { ...matching, Detail: '{"data":{"mode":"observe"}}' },
        { ...matching, Detail: '{"mode":"enforce"}' },
      );
      const got = await delivered(QueueUrl);
      expect(got).toHaveLength(1);
      expect(got[0]).toMatchObject({ source: 'usher.quota', 'detail-type': 'B' });
    });

    test('refuses a pattern that is no JSON', async () => {
      const { bus } = await makeBus({ source: ['usher.quota'] });
      const call = events.send(new PutRuleCommand({ EventBusName: bus, Name: 'bad', EventPattern: '{' }));
      expect(await call.catch(nameOf)).toBe('InvalidEventPatternException');
    });
  });

  describe('PutEvents', () => {
    for (const [what, { entry, code }] of Object.entries(badEntries)) {
      const accepted = features.accepts.includes(what);
      test(`${accepted ? 'accepts, unlike EventBridge,' : 'fails'} ${what}, and delivers the good one beside it`, async () => {
        const { bus, QueueUrl } = await makeBus({ source: ['usher.quota'] });
        const answer = await put(bus, entry, { DetailType: 'Good' });
        expect(answer.FailedEntryCount).toBe(accepted ? 0 : 1);
        if (!accepted) expect(answer.Entries?.[0]?.ErrorCode).toMatch(code);
        expect(answer.Entries?.[1]?.EventId).toBeTruthy();
        if (!accepted) {
          expect((await delivered(QueueUrl)).map((event) => event['detail-type'])).toEqual(['Good']);
        }
      });
    }

    test(`${features.unknownBus} of a bus that does not exist`, async () => {
      const { FailedEntryCount } = await put(`none-${randomUUID()}`, {});
      expect(FailedEntryCount).toBe(features.unknownBus === 'fails the entry' ? 1 : 0);
    });

    test('refuses more than ten entries', async () => {
      const { bus } = await makeBus({ source: ['usher.quota'] });
      const call = put(bus, ...Array.from({ length: 11 }, () => ({})));
      expect(await call.catch(nameOf)).toBe('ValidationException');
    });

    test(`${features.refusesLongCalls ? 'refuses' : 'takes, unlike EventBridge,'} a call of 256 KB`, async () => {
      const { bus } = await makeBus({ source: ['nobody'] });
      const frame = 'usher.quota'.length + 'Tested'.length + '{"pad":""}'.length;
      const ofBytes = (bytes: number) => put(bus, { Detail: `{"pad":"${'a'.repeat(bytes - frame)}"}` });
      expect((await ofBytes(256 * 1024 - 1)).FailedEntryCount).toBe(0);
      const result = await ofBytes(256 * 1024).then(() => 'accepted', nameOf);
      expect(result).toBe(features.refusesLongCalls ? 'ValidationException' : 'accepted');
    });
  });
}
