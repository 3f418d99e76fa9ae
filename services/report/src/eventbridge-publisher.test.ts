import { EventBridgeClient, type PutEventsCommandOutput } from '@aws-sdk/client-eventbridge';
import type { UsherEvent } from '@usher/contracts';
import { localClientConfig } from '@usher/loopback';
import { expect, test, vi } from 'vitest';
import { EventNotTakenError, eventBridgePublisher } from './eventbridge-publisher.ts';
import { quarantined } from './testing/test-report.ts';

const event: UsherEvent = quarantined({});

function publishing(answer: Pick<PutEventsCommandOutput, 'Entries'>) {
  const eventBridge = new EventBridgeClient(localClientConfig('http://127.0.0.1:1'));
  const send = vi.spyOn(eventBridge, 'send').mockImplementation(async () => answer);
  return { publish: eventBridgePublisher({ eventBridge, eventBusName: 'usher' }), send };
}

test('an event goes to the bus as it is', async () => {
  const { publish, send } = publishing({ Entries: [{ EventId: 'e-1' }] });
  await publish(event);
  expect(send.mock.calls[0]?.[0].input).toMatchObject({
    Entries: [
      {
        EventBusName: 'usher',
        Source: 'usher.quota',
        DetailType: event.detailType,
        Detail: JSON.stringify(event.detail),
      },
    ],
  });
});

test.each([
  [{ Entries: [{ ErrorCode: 'InternalFailure' }] }, 'InternalFailure'],
  [{ Entries: [] }, 'undefined'],
])('an event that the bus did not take is an error', async (answer, code) => {
  const { publish } = publishing(answer);
  await expect(publish(event)).rejects.toThrow(EventNotTakenError);
  await expect(publish(event)).rejects.toThrow(code);
});
