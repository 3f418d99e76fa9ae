import { startDynalite } from '@usher/loopback/testing';

/**
 * The body of the process that {@link startDynaliteProcess} forks: an in-memory DynamoDB on loopback. It tells its parent
 * the endpoint and lives until the parent disconnects, be it by a call or because it died.
 */
const { endpoint } = await startDynalite();
process.once('disconnect', () => process.exit(0));
process.send?.(endpoint);
