import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Synthesis, bundles and rules take seconds; both stages are synthesised once and shared by all files.
    testTimeout: 30_000,
    globalSetup: ['lib/testing/synth-once.ts'],
  },
});
