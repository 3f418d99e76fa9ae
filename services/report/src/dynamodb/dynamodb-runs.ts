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
  carries: 'string[]',
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
  carries: 'string[]',
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
const CorrectionItem = type({ sk: 'string', date: 'string', 'carriedBy?': 'string' });
const ProgressItem = type({ finalThrough: PlainDate, marksThroughMs: Count, monthsThrough: /^\d{4}-(0[1-9]|1[0-2])$/ });

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
    const command = new PutCommand({
      TableName: this.#tableName,
      Item: {
        ...reportKeys.runs(day),
        rev: rev + 1,
        runs,
        expiresAt: expiresAt(Date.parse(date), factsKeptMs),
      },
      ConditionExpression: rev === 0 ? 'attribute_not_exists(pk)' : 'rev = :rev',
      ...(rev === 0 ? {} : { ExpressionAttributeValues: { ':rev': rev } }),
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      // The client repeats a call whose answer was lost, and the repeat finds its own write. An attempt's name is in it.
      const stored = await this.#get(reportKeys.runs(day));
      return stored?.rev === rev + 1 && stored.runs === runs;
    }
  }

  async progress(): Promise<Progress | undefined> {
    const item = await this.#get(reportKeys.progress);
    if (item === undefined) return undefined;
    const { finalThrough, marksThroughMs, monthsThrough } = checked('progress of reports', ProgressItem(item));
    return { finalThrough, marksThroughMs, monthsThrough };
  }

  async setProgress({ finalThrough, marksThroughMs, monthsThrough }: Progress): Promise<void> {
    await this.#put({ ...reportKeys.progress, finalThrough, marksThroughMs, monthsThrough });
  }

  async corrections(timezone: string): Promise<readonly CorrectionFile[]> {
    const files: CorrectionFile[] = [];
    for await (const item of this.#items(reportKeys.correctionsPartition(timezone))) {
      const { sk: path, date, carriedBy } = checked('a correction', CorrectionItem(item));
      files.push({ date, timezone, path, ...(carriedBy === undefined ? {} : { carriedBy }) });
    }
    return files;
  }

  async putCorrection(file: CorrectionFile): Promise<void> {
    const { date, carriedBy } = file;
    await this.#put({
      ...reportKeys.correction(file),
      date,
      ...(carriedBy === undefined ? {} : { carriedBy }),
      // Until the reports of two months later have carried it.
      expiresAt: expiresAt(Date.parse(date), 2 * factsKeptMs),
    });
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
