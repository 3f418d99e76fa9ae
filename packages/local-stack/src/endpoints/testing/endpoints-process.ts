import { systemClock } from '@usher/limiter-core';
import { startEndpoints } from '../start-endpoints.ts';

/** A process that holds the endpoints on the folder given, for tests that kill it. Says where it listens on stdout. */
const endpoints = await startEndpoints({ dataDir: process.argv[2] ?? '', clock: systemClock });
process.stdout.write(`${JSON.stringify(endpoints)}\n`);
