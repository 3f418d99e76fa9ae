import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPolicyFile, systemClock } from '@usher/limiter-core/bulk';
import { type Stack, startStack } from '@usher/local-stack';
import { afterAll, beforeAll } from 'vitest';

/** An embedded stack for all tests of a file, and every line that it logs. */
export function stackForFile(): { readonly stack: () => Stack; readonly logged: readonly string[] } {
  const logged: string[] = [];
  let stack: Stack | undefined;
  let dataDir = '';
  const log = (level: string) => (message: string, fields: Record<string, unknown>) =>
    void logged.push(JSON.stringify({ level, message, fields }));
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'usher-hostile-'));
    stack = await startStack({
      dataDir,
      port: 0,
      policies: readPolicyFile({}),
      clock: systemClock,
      log: { info: log('info'), warn: log('warn'), error: log('error') },
    });
  });
  afterAll(async () => {
    await stack?.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    stack: () => {
      if (stack === undefined) throw new Error('The stack has not started.');
      return stack;
    },
    logged,
  };
}
