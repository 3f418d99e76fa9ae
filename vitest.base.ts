import { fileURLToPath } from 'node:url';
import { withoutChromium } from './vitest.chromium.ts';
import { withoutRedis } from './vitest.redis.ts';

/** The settings of every package's tests. */
export const base = {
  exclude: ['**/node_modules/**', ...withoutRedis(), ...withoutChromium()],
  /** Time-outs are there to end what hangs, not what is slow: on a busy machine a test of 10 s may take two minutes. */
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 300_000 } },
  /**
   * No module keeps state, so the files of a package share their worker's modules; loading the SDK or CDK once instead
   * of once per file is most of what many files would take.
   */
  isolate: false,
  setupFiles: [fileURLToPath(new URL('./vitest.environment.ts', import.meta.url))],
};
