import type { EventBridgeFeatures } from './eventbridge/conformance.ts';
import type { SqsFeatures } from './sqs/testing/sqs-under-test.ts';

/**
 * The known differences between AWS and each implementation that the conformance suites run against. The suites assert
 * every line, so that a difference that comes or goes is seen. `embedded` are the endpoints of this package;
 * `ministack` is the emulator of the end-to-end deployment, as of 1.5.33.
 */
export const knownFeatures: Readonly<
  Record<'embedded' | 'ministack', { readonly sqs: SqsFeatures; readonly eventBridge: EventBridgeFeatures }>
> = {
  embedded: {
    sqs: { groupMessagesPerReceive: 'up to ten', accepts: [] },
    eventBridge: { unknownBus: 'fails the entry', accepts: [], givenTime: 'kept', refusesLongCalls: true },
  },
  ministack: {
    sqs: {
      groupMessagesPerReceive: 'up to ten',
      accepts: [
        'a delay of 901 seconds',
        'a negative delay',
        'a deduplication id on a standard queue',
        'a group with a space',
        'a group of 129 characters',
        'a deduplication id beyond ASCII',
        'a wait of 21 seconds',
        'a visibility timeout of 43,201 seconds',
      ],
    },
    eventBridge: {
      unknownBus: 'takes the entry',
      accepts: [
        'an entry without Source',
        'an entry without DetailType',
        'an entry without Detail',
        'a Detail that is no JSON',
        'a Detail that is no object',
      ],
      givenTime: 'ignored',
      refusesLongCalls: false,
    },
  },
};
