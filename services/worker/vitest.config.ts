import { defineConfig } from 'vitest/config';

// No module here keeps state but the handler, whose test loads it anew; loading the SDK once instead of once per file
// is most of the suite's time.
export default defineConfig({ test: { isolate: false } });
