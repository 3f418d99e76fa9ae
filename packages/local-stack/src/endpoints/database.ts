import { mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataFolderInUseError, DataFolderUnusableError } from '../errors.ts';

/** The one store of queues, messages, buses and rules. */
export interface Database {
  readonly sql: DatabaseSync;
  /** Runs `work` so that all it wrote stands, or nothing where it throws. Nested calls join the outer one. */
  transaction<T>(work: () => T): T;
  close(): void;
}

const schema = `
  CREATE TABLE IF NOT EXISTS queues (
    name TEXT PRIMARY KEY,
    attributes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
  ) STRICT;

  -- id is the order of arrival and, padded, the sequence number; AUTOINCREMENT never gives one out twice, which the
  -- receipt handles rely on. Times are epoch milliseconds. A message is in flight while in_flight = 1 and
  -- visible_at > now, delayed while in_flight = 0 and visible_at > now.
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    message_id TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes TEXT,
    group_id TEXT,
    deduplication_id TEXT,
    sent_at INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    in_flight INTEGER NOT NULL DEFAULT 0,
    receive_count INTEGER NOT NULL DEFAULT 0,
    first_received_at INTEGER,
    source_arn TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_visibility ON messages (queue, visible_at, id);
  CREATE INDEX IF NOT EXISTS messages_in_order ON messages (queue, id, group_id, visible_at);
  CREATE INDEX IF NOT EXISTS messages_by_group ON messages (queue, group_id, id, visible_at) WHERE group_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS messages_in_flight ON messages (queue, group_id) WHERE in_flight = 1;
  CREATE INDEX IF NOT EXISTS messages_received ON messages (queue, receive_count) WHERE receive_count > 0;
  CREATE INDEX IF NOT EXISTS messages_by_age ON messages (queue, sent_at);

  CREATE TABLE IF NOT EXISTS deduplications (
    queue TEXT NOT NULL,
    scope TEXT NOT NULL,
    deduplication_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (queue, scope, deduplication_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS deduplications_by_expiry ON deduplications (expires_at);

  CREATE TABLE IF NOT EXISTS move_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    destination TEXT,
    per_second INTEGER,
    started_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    moved INTEGER NOT NULL,
    to_move INTEGER NOT NULL,
    failure TEXT
  ) STRICT;

  CREATE TABLE IF NOT EXISTS buses (name TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS rules (
    bus TEXT NOT NULL,
    name TEXT NOT NULL,
    pattern TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    PRIMARY KEY (bus, name)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS targets (
    bus TEXT NOT NULL,
    rule TEXT NOT NULL,
    id TEXT NOT NULL,
    queue TEXT NOT NULL,
    group_id TEXT,
    PRIMARY KEY (bus, rule, id)
  ) STRICT;
`;

/**
 * Opens `<dataDir>/queues-and-events.sqlite`, or a store in memory where no folder is given.
 *
 * A commit is in the operating system's hands before a call is answered, so it outlives `kill -9`. It is not flushed to
 * the disk each time (`synchronous=NORMAL`): a power cut can lose the last moments, which a development stack accepts
 * for speed.
 *
 * @throws DataFolderInUseError. The lock is SQLite's own on the file, so the system drops it with the process.
 * @throws DataFolderUnusableError
 */
export function openDatabase(dataDir: string | undefined): Database {
  const sql = dataDir === undefined ? openFile(':memory:') : openFolder(dataDir);
  let open = false;
  return {
    sql,
    transaction: (work) => {
      if (open) return work();
      sql.exec('BEGIN IMMEDIATE');
      open = true;
      try {
        const result = work();
        sql.exec('COMMIT');
        return result;
      } catch (error) {
        if (sql.isTransaction) sql.exec('ROLLBACK');
        throw error;
      } finally {
        open = false;
      }
    },
    close: () => sql.close(),
  };
}

function openFolder(dataDir: string): DatabaseSync {
  try {
    makeFolder(dataDir);
    return openFile(join(dataDir, 'queues-and-events.sqlite'));
  } catch (error) {
    throw isBusy(error) ? new DataFolderInUseError(dataDir, error) : new DataFolderUnusableError(dataDir, error);
  }
}

/** Node's own recursive mkdir never ends where a folder refuses children with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function openFile(path: string): DatabaseSync {
  const sql = new DatabaseSync(path);
  try {
    sql.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    sql.exec(`BEGIN EXCLUSIVE; ${schema} COMMIT`);
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
