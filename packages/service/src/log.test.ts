import { CorruptItemError, DeterministicError } from '@usher/limiter-core';
import { describe, expect, test } from 'vitest';
import { errorFields } from './log.ts';

const secret = 'passport-C01X00T47';

function thrownBy(code: () => unknown): unknown {
  try {
    code();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('an error in a log', () => {
  test('is a name, a message, frames and a cause, of one shape each', () => {
    const cause = new CorruptItemError('account#ada', 'rev must be a whole number');
    const { error } = errorFields(new DeterministicError('Code failed on its input', { cause }));
    expect(error).toEqual({
      name: 'DeterministicError',
      message: 'Code failed on its input',
      stack: expect.stringMatching(/^\s+at /),
      cause: {
        name: 'CorruptItemError',
        message: 'Stored item account#ada cannot be read: rev must be a whole number',
        stack: expect.stringMatching(/^\s+at /),
      },
    });
  });

  test.each([
    ['what AWS answers', Object.assign(new Error('not authorized to sqs:SendMessage'), { $metadata: {} })],
    ['what the network says', Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { syscall: 'connect' })],
  ])('tells %s', (_, error) => {
    expect(errorFields(error).error.message).toBe(error.message);
  });

  test('of a service that quotes the request is told without the value', () => {
    const rule = "at 'entries.1.member.detail' failed to satisfy constraint: Member must have length at most 10";
    const quoted = [secret, `{"id":"${secret}"}\n it's at '${secret}' `];
    for (const value of quoted) {
      const message = `2 validation errors detected: Value '${value}' ${rule}; Value '${value}' ${rule}`;
      const error = Object.assign(new Error(message), { name: 'ValidationException', $metadata: {} });
      expect(errorFields(error).error.message).toBe(`2 validation errors detected: Value '…' ${rule}`);
    }
  });

  test.each<[string, unknown]>([
    ["a parser's error", thrownBy(() => JSON.parse(`{"id":"${secret}`))],
    ["a parser's error that passed through an AWS client", Object.assign(new SyntaxError(secret), { $metadata: {} })],
    ['an error of nobody in particular', new Error(secret)],
    ['its cause', new DeterministicError('failed', { cause: new TypeError(secret) })],
    ['a message of several lines', new Error(`text\n    at ${secret}\n    at ${secret}`)],
    ['a text that was thrown', secret],
  ])('never repeats what partners sent: %s', (_, error) => {
    expect(JSON.stringify(errorFields(error))).not.toContain(secret);
  });

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['text', 'string'],
  ])('that is none (%s) is named by its type', (thrown, name) => {
    expect(errorFields(thrown)).toEqual({ error: { name } });
  });

  test('that is its own cause ends', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(errorFields(error)).length).toBeLessThan(100_000);
  });
});
