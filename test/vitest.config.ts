import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Real processes are started and killed here, on machines that do other things as well.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Much of the time goes by in waiting: for the SDK's pauses between attempts, and for processes to start.
    maxWorkers: 2,
  },
});
