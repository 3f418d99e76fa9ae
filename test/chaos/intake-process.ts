import { randomUUID } from 'node:crypto';
import { createIntake } from '@usher/intake';
import { builtInPolicy, systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { tableName } from '@usher/local-stack';
import { devTokenCaller, serveIntake } from '@usher/local-stack/testing';
import { silentMeter } from '@usher/service';
import { clientDefaults } from '@usher/worker';
import { dieWithParent } from '../support/die-with-parent.ts';
import { connectWith, noCrash } from '../support/process.ts';
import { readAddresses } from './messages.ts';

/** The intake in a process of its own. Its first line tells its URL. */
dieWithParent();
const { urls, queues } = readAddresses.assert(process.argv[2]);
const { clients } = connectWith(urls, {}, noCrash, clientDefaults);
const app = createIntake({
  config: {
    tableName,
    bookingsQueueUrl: queues.bookings.url,
    defaultPolicy: builtInPolicy,
    // Slow enough that a steady load meets it now and then.
    submission: { refillPerSecond: 1, burst: 4 },
  },
  ...clients,
  authenticate: devTokenCaller,
  clock: systemClock,
  randomId: randomUUID,
  retry: systemRetry,
  log: {
    info: () => undefined,
    warn: () => undefined,
    // What is not available here is made so. Anything else is a defect to be seen.
    error: (message, fields) => message === 'unexpected error' && console.error('intake:', message, fields),
  },
  meter: silentMeter,
});
const server = await serveIntake((request) => app.fetch(request), { port: 0 });
process.stdout.write(`${server.url}\n`);
