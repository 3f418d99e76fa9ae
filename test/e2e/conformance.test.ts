import { describe } from 'vitest';
import { knownFeatures } from '../../packages/local-stack/src/endpoints/conformance-features.ts';
import { registerEventBridgeConformance } from '../../packages/local-stack/src/endpoints/eventbridge/conformance.ts';
import { registerSqsConformance } from '../../packages/local-stack/src/endpoints/sqs/conformance.ts';
import { makeEventBridge, makeSqs } from './deployment.ts';

// The very suites that the embedded endpoints pass: where the two are known to differ, both sides are asserted.

describe("the emulator's SQS", () => {
  registerSqsConformance({ makeClient: makeSqs, features: knownFeatures.ministack.sqs });
});

describe("the emulator's EventBridge", () => {
  registerEventBridgeConformance({
    makeClients: async () => ({ events: makeEventBridge(), sqs: makeSqs() }),
    features: knownFeatures.ministack.eventBridge,
  });
});
