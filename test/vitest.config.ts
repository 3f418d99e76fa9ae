import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Real processes are started and killed here, on machines that do other things as well.
  test: { testTimeout: 30_000, hookTimeout: 30_000 },
});
