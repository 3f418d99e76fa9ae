import { localRegion } from '@usher/loopback';
import { type } from 'arktype';
import { awsAccountId } from '../arn.ts';

/** One entry of PutEvents as the SDK sends it; `Time` in epoch seconds. */
export const EventEntry = type({
  'Time?': 'number',
  'Source?': 'string',
  'DetailType?': 'string',
  'Detail?': 'string',
  'Resources?': 'string[]',
  'EventBusName?': 'string',
});
export type EventEntry = typeof EventEntry.infer;

export interface EntryFailure {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

/** An event as EventBridge hands it to a target: `json` is its text, `envelope` the same to match rules against. */
export interface DeliverableEvent {
  readonly json: string;
  readonly envelope: unknown;
}

/** An entry's size by the rule of "Calculating PutEvents event entry size", EventBridge User Guide, in bytes. */
export function entryBytes(entry: EventEntry): number {
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...(entry.Resources ?? [])];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? '', 'utf8'), 0);
  return bytes + (entry.Time === undefined ? 0 : 14);
}

/** The failure that EventBridge answers for an entry it cannot take; undefined for a good one. */
export function checkEntry(entry: EventEntry): EntryFailure | undefined {
  for (const name of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[name]) {
      return {
        ErrorCode: 'InvalidArgument',
        ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      };
    }
  }
  return isJsonObject(entry.Detail ?? '')
    ? undefined
    : { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** U+FFFE and U+FFFF are legal in JSON and refused by SQS; inside a JSON text they can only stand in a string. */
const escapeForSqs = (json: string): string => json.replaceAll('\uFFFE', '\\ufffe').replaceAll('\uFFFF', '\\uffff');

/**
 * The event in EventBridge's envelope. The detail goes in as it was written, so that a number a double cannot hold
 * arrives as it was sent. Source: "AWS service event metadata", EventBridge User Guide.
 */
export function toEvent(entry: EventEntry, id: string, nowMs: number): DeliverableEvent {
  const timeMs = entry.Time === undefined ? nowMs : entry.Time * 1000;
  const head = JSON.stringify({
    version: '0',
    id,
    'detail-type': entry.DetailType,
    source: entry.Source,
    account: awsAccountId,
    time: new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    region: localRegion,
    resources: entry.Resources ?? [],
  });
  const json = escapeForSqs(`${head.slice(0, -1)},"detail":${entry.Detail ?? '{}'}}`);
  return { json, envelope: JSON.parse(json) };
}
