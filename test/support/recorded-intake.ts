import { type Authenticate, callerOf, createIntake, defaultSubmissionRate, type IntakePorts } from '@usher/intake';
import { builtInPolicy } from '@usher/limiter-core/bulk';
import { tableName } from '@usher/local-stack';
import type { Log, Meter } from '@usher/service';
import { type LogEntry, recordingLog, recordingMeter } from '@usher/service/testing';
import { instantRetry } from './process.ts';

/** The HTTP API in this process, whose log and counts can be read. */
export interface RecordedIntake {
  readonly app: ReturnType<typeof createIntake>;
  readonly logged: LogEntry[];
  /** Sums by metric. */
  readonly counts: ReadonlyMap<string, number>;
  /** The log and the meter that the app writes to, for its host. */
  readonly log: Log;
  readonly meter: Meter;
}

export interface RecordedIntakeOptions extends Pick<IntakePorts, 'dynamoDb' | 'sqs' | 'clock'> {
  /** @default a queue that no client reaches */
  readonly bookingsQueueUrl?: string;
  /** @default the account is the Authorization header as it stands */
  readonly authenticate?: Authenticate;
  /** @default the built-in rates */
  readonly requests?: IntakePorts['config']['requests'];
  /** Called with each entry of the log, once it is kept. */
  readonly onLogged?: (entry: LogEntry) => void;
}

const accountHeader: Authenticate = (context) => callerOf(context.req.header('Authorization'));

/** Intakes of one world share its table: no two attempts there may have one id. */
let ids = 0;

/** Makes an intake with the built-in policy, which waits for nothing when it tries again. */
export function recordedIntake(options: RecordedIntakeOptions): RecordedIntake {
  const { dynamoDb, sqs, clock, requests, onLogged = () => undefined } = options;
  const logged: LogEntry[] = [];
  const counts = new Map<string, number>();
  const kept = recordingLog(logged);
  const at =
    (level: keyof Log): Log['info'] =>
    (message, fields) => {
      kept[level](message, fields);
      onLogged({ level, message, fields });
    };
  const log: Log = { info: at('info'), warn: at('warn'), error: at('error') };
  const meter = recordingMeter(counts);
  const app = createIntake({
    config: {
      tableName,
      bookingsQueueUrl: options.bookingsQueueUrl ?? 'http://127.0.0.1/bookings.fifo',
      defaultPolicy: builtInPolicy,
      submission: defaultSubmissionRate,
      ...(requests === undefined ? {} : { requests }),
    },
    dynamoDb,
    sqs,
    authenticate: options.authenticate ?? accountHeader,
    clock,
    randomId: () => `id-${++ids}`,
    retry: instantRetry,
    log,
    meter,
  });
  return { app, logged, counts, log, meter };
}
