import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.base.ts';
import { hasPython } from './harness/python.ts';

// Without Python there is no emulator. On a developer's machine that is a reason to say so; in CI the run fails.
const isSkipped = !hasPython() && !process.env.CI;
if (isSkipped) console.warn('Skipped: the end-to-end tests need python3 with the modules venv and ensurepip.');

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: isSkipped ? [] : ['*.test.ts'],
    passWithNoTests: isSkipped,
    globalSetup: './harness/global-setup.ts',
    setupFiles: './harness/trust.ts',
    // One deployment for all stories, on two cores: one after another.
    fileParallelism: false,
    testTimeout: base.testTimeout,
    hookTimeout: base.hookTimeout,
  },
});
