import { defineConfig } from 'vitest/config';
import { base } from '../vitest.base.ts';

export default defineConfig({
  test: {
    ...base,
    // It needs Python, the network and minutes: `pnpm e2e`.
    exclude: [...base.exclude, 'e2e/**', 'package/**'],
    // Much of it waits for processes of its own, so two files at a time take little more than one.
    maxWorkers: 2,
  },
});
