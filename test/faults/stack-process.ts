import { readPolicyFile, systemClock } from '@usher/limiter-core/bulk';
import { startStack } from '@usher/local-stack';
import { type } from 'arktype';
import { dieWithParent } from '../support/die-with-parent.ts';
import { silentLog } from '../support/silent-log.ts';

/** The whole embedded stack in a process of its own, for a test that kills it. Its first line tells its addresses. */
dieWithParent();
const Order = type('string.json.parse').to({ dataDir: 'string > 0', startsAtMs: 'number.integer', policies: 'object' });
const { dataDir, startsAtMs, policies } = Order.assert(process.argv[2]);
const bootedAtMs = systemClock();
const { url, endpoints, queues } = await startStack({
  dataDir,
  port: 0,
  policies: readPolicyFile(policies),
  // A day of the test's choosing, which does not end while it runs.
  clock: () => startsAtMs + systemClock() - bootedAtMs,
  log: silentLog,
});
const { dynamoDbUrl, sqsUrl, eventBridgeUrl } = endpoints;
process.stdout.write(`${JSON.stringify({ url, urls: { dynamoDbUrl, sqsUrl, eventBridgeUrl }, queues })}\n`);
