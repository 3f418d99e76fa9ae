import { type Pacing, readPacing } from '@usher/contracts';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { decodeBody, invalidMessage, type RefusedRecord } from './decode.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { slotsOfPacing } from './dispatch-slots.ts';
import { beginInvocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine } from './quarantine.ts';
import { type OwnedSlots, sendHandoffs } from './send-handoffs.ts';

interface PacingRecord {
  readonly record: SQSRecord;
  readonly pacing: Pacing;
}

/**
 * Works off one batch of the pacing queue: what is due within 15 minutes goes to dispatch, the rest back to pacing. A
 * crash in between repeats the same dispatches under the same ids.
 */
export async function paceBatch(
  event: SQSEvent,
  deps: WorkerDependencies,
  deadline: Deadline,
): Promise<SQSBatchResponse> {
  const invocation = beginInvocation(deps, deadline);
  const decoded = event.Records.map(decodePacing);
  const refused = decoded.filter((record) => 'reason' in record);
  await publish([], await quarantine(refused, invocation), invocation);

  await sendHandoffs(decoded.filter((record) => 'pacing' in record).map(slotsToSend), invocation);
  return { batchItemFailures: [...invocation.failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

function slotsToSend({ record, pacing }: PacingRecord): OwnedSlots {
  const { v: _v, reservations: _rows, ...origin } = pacing;
  return { messageId: record.messageId, origin, slots: slotsOfPacing(pacing) };
}

function decodePacing(record: SQSRecord): PacingRecord | RefusedRecord {
  const body = decodeBody(record);
  if ('reason' in body) return body;
  const read = readPacing(body.value);
  return read.kind === 'refused' ? invalidMessage(record, read.fields) : { record, pacing: read.value };
}
