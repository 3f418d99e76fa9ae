import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '@usher/limiter-core';
import { afterAll, describe } from 'vitest';
import { localClientConfig } from './local-client.ts';
import { registerSqsConformance } from './sqs.conformance.ts';
import { type Endpoints, startEndpoints } from './start-endpoints.ts';

describe('the SQS endpoint', () => {
  let endpoints: Endpoints | undefined;
  afterAll(() => endpoints?.close());

  registerSqsConformance({
    makeClient: async () => {
      endpoints = await startEndpoints({ clock: systemClock });
      return new SQSClient(localClientConfig(endpoints.sqsUrl));
    },
    features: {
      groupMessagesPerReceive: 'up to ten',
      accepts: [],
      staleFifoDelete: 'refused',
      repeatAnswersFirstId: true,
    },
  });
});
