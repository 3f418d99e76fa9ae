import { once } from 'node:events';
import dynalite from 'dynalite';

/**
 * The body of the process that {@link startDynalite} forks: an in-memory DynamoDB on loopback. It tells its parent the
 * port and lives until the parent disconnects, be it by a call or because it died.
 */
const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.once('disconnect', () => process.exit(0));
process.send?.(server.address());
