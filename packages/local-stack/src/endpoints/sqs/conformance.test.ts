import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterAll, describe } from 'vitest';
import { knownFeatures } from '../conformance-features.ts';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';
import { registerSqsConformance } from './conformance.ts';

describe('the SQS endpoint', () => {
  let endpoints: Endpoints | undefined;
  afterAll(() => endpoints?.close());

  registerSqsConformance({
    makeClient: async () => {
      endpoints = await startEndpoints({ clock: systemClock });
      return new SQSClient(localClientConfig(endpoints.sqsUrl));
    },
    features: knownFeatures.embedded.sqs,
  });
});
