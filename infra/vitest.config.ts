import { defineConfig } from 'vitest/config';
import { base } from '../vitest.base.ts';

export default defineConfig({
  // Both stages are synthesised once and shared by all files.
  test: { ...base, globalSetup: ['lib/testing/synth-once.ts'] },
});
