import { type Browser, chromium } from 'playwright-core';
import { chromiumPath, chromiumProgram, installChromium } from './chromium-program.ts';

/** Starts Chromium without a window and without a network: the pages it opens are files. */
export async function startChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(`There is no ${chromiumProgram}; ${installChromium}`);
  return chromium.launch({
    executablePath,
    timeout: 0, // what hangs is ended by its test
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND'],
  });
}
