import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The packages' own tests, fit for a run of thousands of mutants. */
export default defineConfig({
  test: {
    exclude: [
      '**/node_modules/**',
      // These add the database and the examples to the others; the rules are not in them.
      '**/dynamodb/*-store.test.ts',
      '**/dynamodb/ledger-reader.test.ts',
      '**/*.redis.test.ts',
      '**/readme.test.ts',
      // It reads files outside its package, which the copies with mutants do not have.
      '**/golden.test.ts',
    ],
    // A mutant that a property kills is killed on every run.
    setupFiles: [fileURLToPath(new URL('./fixed-seed.ts', import.meta.url))],
    // On a busy machine a slow test must not pass for a killed mutant; endless loops are Stryker's to end.
    testTimeout: 60_000,
  },
});
