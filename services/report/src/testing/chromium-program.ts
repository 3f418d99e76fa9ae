import { spawnSync } from 'node:child_process';

/** Debian's Chromium, found on the PATH. */
export const chromiumProgram = 'chromium';

/** Tells how to install it; an error and a warning say the same. */
export const installChromium = 'install it with "apt-get install chromium"';

/** The path of this machine's Chromium; undefined where there is none. */
export function chromiumPath(): string | undefined {
  const found = spawnSync('which', [chromiumProgram], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}
