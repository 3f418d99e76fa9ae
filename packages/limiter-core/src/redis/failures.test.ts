import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../limiter/errors.ts';
import { failureOf, isUnknownScript } from './failures.ts';

test.each([
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica. script: 5f2a, on @user_script:9.",
  'CLUSTERDOWN The cluster is down',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'ERR max number of clients reached',
  'ERR max daily request limit exceeded. Limit: 10000, Usage: 10000.',
  // Before Redis 7 the server wraps what a command in a script answers.
  "ERR Error running script (call to f_5f2a): @user_script:9: @user_script: 9: -OOM command not allowed when used memory > 'maxmemory'.",
  // A client may put its own words before.
  "Command failed: OOM command not allowed when used memory > 'maxmemory'.",
  'Command 1 [ evalsha ] failed: ERR max daily request limit exceeded. Limit: 10000, Usage: 10000.',
  'Connection is closed.',
  'connect ECONNREFUSED 127.0.0.1:6379',
  'Socket closed unexpectedly',
  'Command timed out',
])('%s: the store is unavailable', (message) => {
  const error = new Error(message);
  const failure = failureOf(error);
  expect(failure).toBeInstanceOf(StoreUnavailableError);
  expect(failure).toMatchObject({ message: expect.stringContaining(message), cause: error });
});

test.each([
  'NOAUTH Authentication required.',
  'WRONGPASS invalid username-password pair or user is disabled.',
  "NOPERM this user has no permissions to run the 'evalsha' command",
  'WRONGTYPE Operation against a key holding the wrong kind of value script: 5f2a, on @user_script:9.',
  'ERR Error running script (call to f_5f2a): @user_script:9: WRONGTYPE Operation against a key holding the wrong kind of value',
  "ERR unknown command 'EVALSHA', with args beginning with:",
  'MOVED 3999 127.0.0.1:6381',
  'Command failed: NOPERM this user has no permissions',
])('%s: an answer like this is thrown as it is', (message) => {
  const error = new Error(message);
  expect(failureOf(error)).toBe(error);
});

test('a mistake in code is thrown as it is; a failed request over HTTP is none', () => {
  const mistake = new TypeError('client.evalsha is not a function');
  expect(failureOf(mistake)).toBe(mistake);
  // As Node's fetch throws them.
  for (const message of ['fetch failed', 'terminated']) {
    const broken = new TypeError(message, { cause: new Error('other side closed') });
    expect(failureOf(broken)).toBeInstanceOf(StoreUnavailableError);
  }
});

test('what is thrown and is no error is told, too', () => {
  expect(failureOf('broken pipe')).toMatchObject({ message: expect.stringContaining('broken pipe') });
});

test('only the server’s own answer says that a script is unknown', () => {
  expect(isUnknownScript(new Error('NOSCRIPT No matching script. Please use EVAL.'))).toBe(true);
  expect(isUnknownScript(new Error('Command failed: NOSCRIPT No matching script.'))).toBe(true);
  expect(isUnknownScript(new Error('the proxy answered: NOSCRIPT'))).toBe(false);
  expect(isUnknownScript('NOSCRIPT')).toBe(false);
});
