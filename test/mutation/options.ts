import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The options that all runs share (https://stryker-mutator.io/docs/stryker-js/configuration). Each run works in its
 * package's folder, from which the paths are seen.
 *
 * @param files the sources that are mutated, without folder and ending
 */
export function optionsFor(packageName: string, files: readonly string[]): object {
  const outputs = `../../.stryker/${packageName}`;
  return {
    mutate: files.map((file) => `src/${file}.ts`),
    plugins: [createRequire(import.meta.url).resolve('@stryker-mutator/vitest-runner')],
    testRunner: 'vitest',
    vitest: { configFile: fileURLToPath(new URL('./vitest.config.ts', import.meta.url)), related: false },
    // Only the tests that reach a mutant are run against it.
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 10_000,
    // The copies with mutants in them stay out of the package, where its own test run would find their tests.
    tempDirName: `${outputs}/tmp`,
    incremental: true,
    incrementalFile: `${outputs}/incremental.json`,
    reporters: ['clear-text', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${outputs}/report.html` },
    jsonReporter: { fileName: `${outputs}/report.json` },
    warnings: { slow: false },
    thresholds: { high: 95, low: 90, break: 85 },
  };
}
