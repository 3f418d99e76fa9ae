import { UsherError } from '@usher/limiter-core';
import { type } from 'arktype';

const Answer = type('null | undefined').or({
  'batchItemFailures?': type({ itemIdentifier: 'string > 0' }).array().or('null'),
});

/** The handler answered what Lambda takes for a failure of the whole batch. */
export class InvalidBatchAnswerError extends UsherError {
  override readonly name = 'InvalidBatchAnswerError';
}

/**
 * The message ids of a batch that the handler's answer says have failed, by Lambda's rules: nothing, null or an empty list
 * means all succeeded; a malformed answer, an empty id or one that is not of the batch means all failed.
 * Source: "Implementing partial batch responses", AWS Lambda Developer Guide.
 *
 * @throws InvalidBatchAnswerError when the whole batch failed
 */
export function failedIdsOf(answer: unknown, batchIds: readonly string[]): ReadonlySet<string> {
  const read = Answer(answer);
  if (read instanceof type.errors) {
    throw new InvalidBatchAnswerError(`The handler's answer is no batch response: ${read.summary}.`);
  }
  const failed = new Set((read?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
  for (const id of failed) {
    if (!batchIds.includes(id)) {
      throw new InvalidBatchAnswerError(`The handler's answer names ${id}, which is not a message of the batch.`);
    }
  }
  return failed;
}
