import { globSync } from 'node:fs';
import { chromiumPath, installChromium } from './services/report/src/testing/chromium-program.ts';

const chromiumTests = '**/*.chromium.test.ts';

/**
 * The test files that a package must leave out here: those that look at a page in Chromium, where there is none, and then it
 * says so. With USHER_REQUIRE_CHROMIUM=1, as in CI, none is left out, and without Chromium they fail.
 */
export function withoutChromium(): string[] {
  if (process.env.USHER_REQUIRE_CHROMIUM === '1' || chromiumPath() !== undefined) return [];
  const { length } = globSync(chromiumTests, { exclude: ['**/node_modules'] });
  if (length > 0) console.warn(`\nLeft out: ${length} test files need chromium; ${installChromium}.`);
  return [chromiumTests];
}
