import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { DailyQuotaReport, PlainDate } from '@usher/contracts';
import { CorruptItemError } from '@usher/limiter-core/bulk';
import { expiresAt, type ItemKey } from '@usher/limiter-core/bulk/dynamodb';
import { type } from 'arktype';
import { Count } from '../model/figures.ts';
import { DeadLetters, ReportState } from '../model/report.ts';
import {
  type CorrectionFile,
  type DayRuns,
  factsKeptMs,
  noRuns,
  type Progress,
  type ReportedDay,
  type Runs,
} from '../store/runs.ts';
import type { ReportTableOptions } from './dynamodb-event-facts.ts';
import { itemsOf } from './query.ts';
import { reportKeys } from './table-definition.ts';

const EventData = DailyQuotaReport.get('data');
const Begun = type({
  run: Count,
  nowMs: Count,
  attempt: 'string',
  leaseUntilMs: Count,
  deadLetters: DeadLetters.array(),
});
const Sealed = type({
  run: Count,
  nowMs: Count,
  state: ReportState,
  resetsAtMs: Count,
  folder: 'string',
  files: EventData.get('files'),
  totals: EventData.get('totals'),
  'supersedes?': 'string',
  digest: 'string',
  isPublished: 'boolean',
});
const RunsItem = type({
  pk: 'string',
  sk: 'string',
  rev: Count,
  /** In JSON: it is read and written whole. */
  runs: type('string.json.parse').to({ 'begun?': Begun, 'sealed?': Sealed, lookedAtMs: Count }),
});
const CorrectionItem = type({ date: PlainDate, number: Count, path: 'string', 'carriedBy?': PlainDate });
const ProgressItem = type({
  finalThrough: PlainDate,
  marksThroughMs: Count,
  monthsThrough: /^\d{4}-(0[1-9]|1[0-2])$/,
  begunAtMs: Count,
});

/** Runs in the report's table. */
export class DynamoDbRuns implements Runs {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor({ client, tableName }: Omit<ReportTableOptions, 'retry'>) {
    this.#client = client;
    this.#tableName = tableName;
  }

  async read(day: ReportedDay): Promise<DayRuns> {
    const item = await this.#get(reportKeys.runs(day));
    return item === undefined ? noRuns(day) : readRuns(day.date, item);
  }

  async ofDate(date: string): Promise<readonly DayRuns[]> {
    const days: DayRuns[] = [];
    for await (const item of this.#items(reportKeys.runsPartition(date))) days.push(readRuns(date, item));
    return days;
  }

  async write(day: DayRuns): Promise<boolean> {
    const { rev, date, begun, sealed, lookedAtMs } = day;
    const runs = JSON.stringify({ begun, sealed, lookedAtMs });
    const item = {
      ...reportKeys.runs(day),
      rev: rev + 1,
      runs,
      expiresAt: expiresAt(Date.parse(date), factsKeptMs),
    };
    const isWritten =
      rev === 0
        ? await this.#putIf(item, 'attribute_not_exists(pk)')
        : await this.#putIf(item, 'rev = :rev', { ':rev': rev });
    if (isWritten) return true;
    // The client repeats a call whose answer was lost, and the repeat finds its own write. An attempt's name is in it.
    const stored = await this.#get(reportKeys.runs(day));
    return stored?.rev === rev + 1 && stored.runs === runs;
  }

  async progress(): Promise<Progress | undefined> {
    const item = await this.#get(reportKeys.progress);
    if (item === undefined) return undefined;
    const read = checked('progress of reports', ProgressItem(item));
    const { finalThrough, marksThroughMs, monthsThrough, begunAtMs } = read;
    return { finalThrough, marksThroughMs, monthsThrough, begunAtMs };
  }

  async setProgress(progress: Progress): Promise<void> {
    await this.#put({ ...reportKeys.progress, ...progress });
  }

  async corrections(timezone: string): Promise<readonly CorrectionFile[]> {
    const files: CorrectionFile[] = [];
    for await (const item of this.#items(reportKeys.correctionsPartition(timezone))) {
      const { date, number, path, carriedBy } = checked('a correction', CorrectionItem(item));
      files.push({ date, timezone, number, path, ...(carriedBy === undefined ? {} : { carriedBy }) });
    }
    return files;
  }

  async addCorrection(file: CorrectionFile): Promise<boolean> {
    const key = reportKeys.correction(file);
    if (await this.#putIf(correctionItem(file), 'attribute_not_exists(pk)')) return true;
    // As above: it may be the own one. No other has its path.
    return (await this.#get(key))?.path === file.path;
  }

  async carryCorrection(file: CorrectionFile, carriedBy: string): Promise<boolean> {
    const isFree = 'attribute_exists(pk) AND (attribute_not_exists(carriedBy) OR carriedBy = :by)';
    return this.#putIf(correctionItem({ ...file, carriedBy }), isFree, { ':by': carriedBy });
  }

  /** Puts an item where a condition holds; false where it does not. */
  async #putIf(item: Record<string, unknown>, condition: string, values?: Record<string, unknown>): Promise<boolean> {
    try {
      await this.#client.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: item,
          ConditionExpression: condition,
          ...(values === undefined ? {} : { ExpressionAttributeValues: values }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async #get(key: ItemKey): Promise<Record<string, unknown> | undefined> {
    const command = new GetCommand({ TableName: this.#tableName, Key: { ...key }, ConsistentRead: true });
    return (await this.#client.send(command)).Item;
  }

  async #put(item: Record<string, unknown>): Promise<void> {
    await this.#client.send(new PutCommand({ TableName: this.#tableName, Item: item }));
  }

  #items(partition: string): AsyncGenerator<Record<string, unknown>> {
    return itemsOf({ client: this.#client, tableName: this.#tableName, partition });
  }
}

function correctionItem(file: CorrectionFile): Record<string, unknown> {
  const { date, number, path, carriedBy } = file;
  return {
    ...reportKeys.correction(file),
    date,
    number,
    path,
    ...(carriedBy === undefined ? {} : { carriedBy }),
    // Until the reports of two months later have carried it.
    expiresAt: expiresAt(Date.parse(date), 2 * factsKeptMs),
  };
}

function readRuns(date: string, item: Record<string, unknown>): DayRuns {
  const { sk: timezone, rev, runs } = checked(`runs of ${date}`, RunsItem(item));
  const { begun, sealed, lookedAtMs } = runs;
  return {
    date,
    timezone,
    rev,
    lookedAtMs,
    ...(begun === undefined ? {} : { begun }),
    ...(sealed === undefined ? {} : { sealed }),
  };
}

function checked<T>(name: string, read: T | type.errors): T {
  if (read instanceof type.errors) throw new CorruptItemError(name, read.summary);
  return read;
}
