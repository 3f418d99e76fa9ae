import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportApi } from './api-report.ts';
import { packageFolder, subpaths } from './limiter-core.ts';
import { pnpm } from './pnpm.ts';

/** Builds the package and writes its API reports, for a change of the public API that is meant. */
const folder = mkdtempSync(join(tmpdir(), 'usher-api-'));
try {
  pnpm(packageFolder, 'run', 'build');
  for (const subpath of subpaths) reportApi(subpath, 'renew', folder);
} finally {
  rmSync(folder, { recursive: true });
}
