import { defineConfig } from 'vitest/config';

// The time-outs are there to end what hangs, not what is slow.
export default defineConfig({ test: { testTimeout: 300_000, hookTimeout: 300_000 } });
