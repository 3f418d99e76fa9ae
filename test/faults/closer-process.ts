import { readPolicyFile, systemClock } from '@usher/limiter-core/bulk';
import { type Fault, startStack } from '@usher/local-stack';
import { FolderReportFiles } from '@usher/report';
import { type } from 'arktype';
import { dieWithParent } from '../support/die-with-parent.ts';
import { silentLog } from '../support/silent-log.ts';
import { CloserOrder } from './closer-order.ts';

/** The embedded stack in a process that kills itself at one step of its closer. Else it tells its addresses once all that is due is closed. */
dieWithParent();
const { dataDir, startsAtMs, policies, dies } = type('string.json.parse').to(CloserOrder).assert(process.argv[2]);
const bootedAtMs = systemClock();
const RunsPut = type({ Item: { runs: { S: 'string' } } });

/** Never comes back: nothing of this process runs after the signal. */
async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

/** A file's text, of which half of the first piece is written when the process dies. */
async function* half(content: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of content) {
    yield piece.slice(0, piece.length / 2);
    await die();
  }
}

const put = FolderReportFiles.prototype.put;
FolderReportFiles.prototype.put = async function (path, file) {
  const isDue = dies?.in !== undefined && path.startsWith(dies.in);
  return put.call(this, path, isDue ? { content: half(file.content) } : file);
};

const { url, endpoints, queues, closeDays } = await startStack({
  dataDir,
  port: 0,
  policies: readPolicyFile(policies),
  clock: () => startsAtMs + systemClock() - bootedAtMs,
  log: silentLog,
  intercept: async ({ operation, input }): Promise<Fault> => {
    const isTelling = operation === 'PutEvents' && JSON.stringify(input).includes('Daily Quota Report');
    const runs = operation === 'PutItem' && RunsPut.allows(input) ? input.Item.runs.S : '';
    const isSealing = runs.includes('"isPublished":false');
    const isNoting = runs.includes('"isPublished":true');
    const step = isTelling ? 'telling' : isSealing ? 'sealing' : isNoting ? 'noting' : 'another';
    if (dies?.before === step) await die();
    return 'pass';
  },
});
await closeDays();
const { dynamoDbUrl, sqsUrl, eventBridgeUrl } = endpoints;
process.stdout.write(`${JSON.stringify({ url, urls: { dynamoDbUrl, sqsUrl, eventBridgeUrl }, queues })}\n`);
