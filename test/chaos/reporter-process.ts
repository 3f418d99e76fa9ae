import { builtInPolicy, systemClock } from '@usher/limiter-core/bulk';
import { reportPorts } from '@usher/local-stack/testing';
import { createReport } from '@usher/report';
import { clientDefaults } from '@usher/worker';
import { dieWithParent } from '../support/die-with-parent.ts';
import { connectWith, noCrash } from '../support/process.ts';
import { silentLog } from '../support/silent-log.ts';
import { readAddresses } from './messages.ts';
import { impatientPolling } from './polling.ts';

/** The consumer of reports in a process of its own. Writes a line when it polls, then one for each batch. */
dieWithParent();
const { urls, queues } = readAddresses.assert(process.argv[2]);
const { clients } = connectWith(urls, {}, noCrash, clientDefaults);
const report = createReport(
  // It writes no report, so the folder of their files is never touched.
  reportPorts(clients, queues, { clock: systemClock, log: silentLog, defaultPolicy: builtInPolicy, reportsDir: '' }),
);
impatientPolling(clients.sqs)(queues.report, { concurrency: 1, handler: report.consume });
process.stdout.write('polling\n');
