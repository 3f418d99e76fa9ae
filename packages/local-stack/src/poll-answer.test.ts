import { describe, expect, test } from 'vitest';
import { failedIdsOf, InvalidBatchAnswerError } from './poll-answer.ts';

describe('a batch answer', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['a null list', { batchItemFailures: null }],
    ['an empty list', { batchItemFailures: [] }],
  ])('that is %s says that all succeeded', (_, answer) => {
    expect([...failedIdsOf(answer, ['m1', 'm2'])]).toEqual([]);
  });

  test('names the messages that failed', () => {
    const answer = { batchItemFailures: [{ itemIdentifier: 'm2' }] };
    expect([...failedIdsOf(answer, ['m1', 'm2'])]).toEqual(['m2']);
  });

  test.each([
    ['a string', 'ok'],
    ['a list that is no list', { batchItemFailures: 'm1' }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['a null id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['another key', { batchItemFailures: [{ messageId: 'm1' }] }],
    ['an id that is not of the batch', { batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm9' }] }],
  ])('with %s fails the whole batch', (_, answer) => {
    expect(() => failedIdsOf(answer, ['m1', 'm2'])).toThrow(InvalidBatchAnswerError);
  });
});
