import { AwsError } from '../aws-error.ts';
import { sqsError } from './errors.ts';

interface Failure {
  readonly Id: string;
  readonly SenderFault: true;
  readonly Code: string;
  readonly Message: string;
}

/** SQS's answer to a batch. The SDK reads an absent list as an empty one; AWS leaves `Failed` out when nothing failed. */
export interface BatchResult<Success> {
  readonly Successful: readonly (Success & { readonly Id: string })[];
  readonly Failed?: readonly Failure[];
}

const entryIdPattern = /^[A-Za-z0-9_-]{1,80}$/;
const maxEntries = 10;

/** Refuses the whole batch for what is wrong with it as a whole. */
export function checkBatch<Entry extends { Id: string }>(entries: readonly Entry[] | undefined): readonly Entry[] {
  if (!entries || entries.length === 0) {
    throw sqsError('EmptyBatchRequest', "There should be at least one entry in the request's Entries list.");
  }
  if (entries.length > maxEntries) {
    throw sqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`,
    );
  }
  for (const { Id } of entries) {
    if (!entryIdPattern.test(Id)) {
      throw sqsError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      );
    }
  }
  const repeated = entries.find(({ Id }, i) => entries.findIndex((other) => other.Id === Id) !== i);
  if (repeated) throw sqsError('BatchEntryIdsNotDistinct', `Id ${repeated.Id} repeated.`);
  return entries;
}

/** Runs each entry on its own: one that is refused leaves the others be. What is no refusal fails the call. */
export function runBatch<Entry extends { Id: string }, Success extends object>(
  entries: readonly Entry[],
  run: (entry: Entry) => Success,
): BatchResult<Success> {
  const successful: (Success & { Id: string })[] = [];
  const failed: Failure[] = [];
  for (const entry of entries) {
    try {
      successful.push({ ...run(entry), Id: entry.Id });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      failed.push({
        Id: entry.Id,
        SenderFault: true,
        Code: error.queryCode ?? error.type,
        Message: error.message,
      });
    }
  }
  return failed.length > 0 ? { Successful: successful, Failed: failed } : { Successful: successful };
}
