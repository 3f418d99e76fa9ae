import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInPolicy } from '@usher/limiter-core/bulk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PolicyFileError } from './errors.ts';
import { loadPolicies } from './policies.ts';

describe('a policy file', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-policies-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(content: string): Promise<Awaited<ReturnType<typeof loadPolicies>>> {
    const path = join(folder, 'p.json');
    await writeFile(path, content);
    return loadPolicies(path);
  }

  test('is not needed', async () => {
    expect(await loadPolicies(undefined)).toEqual({ defaultPolicy: builtInPolicy, overrides: new Map() });
  });

  test('overrides the built-in default, and accounts override that', async () => {
    const { defaultPolicy, overrides } = await load('{"default":{"dailyLimit":7},"accounts":{"a":{"burst":3}}}');
    expect(defaultPolicy).toEqual({ ...builtInPolicy, dailyLimit: 7 });
    expect(overrides).toEqual(new Map([['a', { burst: 3 }]]));
  });

  test('may name accounts like properties of objects', async () => {
    const { overrides } = await load('{"accounts":{"__proto__":{"dailyLimit":1},"constructor":{"dailyLimit":2}}}');
    expect(overrides).toEqual(
      new Map([
        ['__proto__', { dailyLimit: 1 }],
        ['constructor', { dailyLimit: 2 }],
      ]),
    );
  });

  test.each([
    ['no JSON', '{"default":', 'at line 1, column 12 (in characters) a value was expected'],
    ['a name twice', '{"accounts":{"ada":{},"ada":{"dailyLimit":5}}}', '/accounts/ada must be given once'],
    ['an unknown part', '{"defaults":{}}', 'defaults must be removed'],
    ['an unknown field', '{"default":{"limit":1}}', 'default.limit must be removed'],
    ['a wrong default', '{"default":{"dailyLimit":-1}}', 'default.dailyLimit must be non-negative'],
    [
      'a wrong account field',
      '{"accounts":{"a":{"timezone":"Mars"}}}',
      'accounts.a.timezone must be an IANA time zone',
    ],
    ['a wrong field of __proto__', '{"accounts":{"__proto__":{"burst":0}}}', 'accounts.__proto__.burst must be'],
    [
      'an account whose limit its pace cannot hand on',
      '{"accounts":{"a":{"dailyLimit":864021}}}',
      'accounts.a: dailyLimit',
    ],
    ['a malformed account id', '{"accounts":{"a b":{}}}', 'accounts: "a b" is no account id'],
  ])('with %s is refused by its name and field', async (_, content, problem) => {
    const loading = load(content);
    await expect(loading).rejects.toThrow(PolicyFileError);
    await expect(loading).rejects.toThrow(`Policy file ${join(folder, 'p.json')} cannot be used: ${problem}`);
  });

  test('that is not there is refused by its name', async () => {
    const path = join(folder, 'missing.json');
    await expect(loadPolicies(path)).rejects.toThrow(`Policy file ${path}: there is no such file`);
  });
});
