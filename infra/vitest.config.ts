import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Synthesis, bundles and rules take seconds; both stages are synthesised once and shared by all files.
    testTimeout: 30_000,
    globalSetup: ['lib/testing/synth-once.ts'],
    // No module here keeps state; loading CDK once instead of once per file is most of the suite's time.
    isolate: false,
  },
});
