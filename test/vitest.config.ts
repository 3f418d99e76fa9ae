import { configDefaults, defineConfig } from 'vitest/config';

/** Many small files that start no process and keep no state: loading the SDK for each would take most of their time. */
const small = 'cases/**/*.test.ts';

export default defineConfig({
  test: {
    // It needs Python, the network and minutes: `pnpm e2e`.
    exclude: [...configDefaults.exclude, 'e2e/**'],
    // Real processes are started and killed here, on machines that do other things as well.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'small', include: [small], isolate: false } },
      { extends: true, test: { name: 'large', exclude: [...configDefaults.exclude, small] } },
    ],
  },
});
