import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterAll, describe } from 'vitest';
import { knownFeatures } from '../conformance-features.ts';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';
import { registerEventBridgeConformance } from './conformance.ts';

describe('the EventBridge endpoint', () => {
  let endpoints: Endpoints | undefined;
  afterAll(() => endpoints?.close());

  registerEventBridgeConformance({
    makeClients: async () => {
      endpoints = await startEndpoints({ clock: systemClock });
      return {
        events: new EventBridgeClient(localClientConfig(endpoints.eventBridgeUrl)),
        sqs: new SQSClient(localClientConfig(endpoints.sqsUrl)),
      };
    },
    features: knownFeatures.embedded.eventBridge,
  });
});
