import { type Pacing, readPacing } from '@usher/contracts';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { decodeBody, foreignGroup, inFuture, invalidMessage, type RefusedRecord } from './decode.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { slotsOfPacing } from './dispatch-slots.ts';
import { beginInvocation, computeFor, handBack } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine, quarantineBroken, readOrRefuse } from './quarantine.ts';
import { isLastTry } from './receives.ts';
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
  const nowMs = deps.clock();
  const decoded = event.Records.map((record) => readOrRefuse(record, invocation, () => decodePacing(record, nowMs)));
  const refused = decoded.filter((record) => 'reason' in record);
  await publish([], await quarantine(refused, invocation), invocation);

  const paced = decoded.filter((record) => 'pacing' in record);
  const owned = paced.flatMap((one) =>
    computeFor([{ messageId: one.record.messageId, accountId: one.pacing.accountId }], invocation, () =>
      slotsToSend(one),
    ),
  );
  await sendHandoffs(owned, invocation);

  const lastTries = paced.filter(({ record }) => invocation.broken.has(record.messageId) && isLastTry(record));
  await quarantineBroken(
    lastTries.map(({ record, pacing }) => ({ record, accountId: pacing.accountId })),
    invocation,
  );
  const owners = decoded.map((one) => ({
    messageId: one.record.messageId,
    accountId: 'pacing' in one ? one.pacing.accountId : one.accountId,
  }));
  return handBack(invocation.failed, owners, deps);
}

function slotsToSend({ record, pacing }: PacingRecord): OwnedSlots {
  const { v: _v, reservations: _rows, ...origin } = pacing;
  return { messageId: record.messageId, origin, slots: slotsOfPacing(pacing) };
}

function decodePacing(record: SQSRecord, nowMs: number): PacingRecord | RefusedRecord {
  const body = decodeBody(record);
  if ('reason' in body) return body;
  const read = readPacing(body.value);
  if (read.kind === 'invalid') return invalidMessage(record, read.fields);
  return (
    foreignGroup(record, read.value.accountId) ??
    // Due at an instant that never comes, it would hop for ever.
    inFuture('settledAt', read.value, record, nowMs) ?? { record, pacing: read.value }
  );
}
