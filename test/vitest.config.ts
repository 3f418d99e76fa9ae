import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // It needs Python, the network and minutes: `pnpm e2e`.
    exclude: [...configDefaults.exclude, 'e2e/**'],
    // No module here keeps state; loading the SDK once instead of once per file is most of what many files would take.
    isolate: false,
    // Much of it waits for processes of its own, so two files at a time take little more than one.
    maxWorkers: 2,
    // Real processes are started and killed here, on machines that do other things as well.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
