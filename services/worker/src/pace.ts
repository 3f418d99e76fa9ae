import { Pacing } from '@usher/contracts';
import { type } from 'arktype';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { decodeBody, invalidMessage, type RefusedRecord } from './decode.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { Release, slotsOfPacing } from './dispatch-slots.ts';
import { beginInvocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine } from './quarantine.ts';
import { sendHandoffs } from './send-handoffs.ts';
import { handoffOf } from './sqs-dispatch.ts';

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

  const nowMs = deps.clock();
  const releases = new Map<string, Release>();
  const handoffs = decoded
    .filter((record) => 'pacing' in record)
    .map(({ record, pacing }) => {
      const release = releases.get(pacing.accountId) ?? new Release(nowMs);
      releases.set(pacing.accountId, release);
      const handoff = handoffOf(slotsOfPacing(pacing), pacing, { release, nowMs });
      return { messageId: record.messageId, handoff };
    });
  await sendHandoffs(handoffs, invocation);
  return { batchItemFailures: [...invocation.failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

function decodePacing(record: SQSRecord): { record: SQSRecord; pacing: Pacing } | RefusedRecord {
  const body = decodeBody(record);
  if ('reason' in body) return body;
  const pacing = Pacing(body.value);
  return pacing instanceof type.errors ? invalidMessage(record, pacing) : { record, pacing };
}
