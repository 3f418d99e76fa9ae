import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.base.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: { ...base, globalSetup: './setup.ts' },
});
