import { readdirSync, readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import * as dynamodb from './dynamodb/index.ts';
import * as hono from './hono.ts';
import * as main from './index.ts';
import * as lambda from './lambda.ts';

/** An example of a doc comment: a line `expression; // value` says what the expression comes to. */
interface DocExample {
  readonly name: string;
  readonly lines: readonly string[];
}

const here = new URL('./', import.meta.url);
const documented = /\/\*\*(?<comment>(?:(?!\*\/).)*)\*\/\s*export (?:async )?function (?<name>\w+)/gs;
const examples = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(?!.*(test|conformance)\.ts$)(?!bulk|testing|examples).*\.ts$/.test(file))
  .flatMap((file) => [...readFileSync(new URL(file, here), 'utf8').matchAll(documented)])
  .flatMap(({ groups: { name = '', comment = '' } = {} }): DocExample[] => {
    const [, code] = /@example\s+\* ```ts\n(.*?)```/s.exec(comment) ?? [];
    if (code === undefined) return [];
    return [{ name, lines: code.split('\n').flatMap((line) => line.replace(/^\s*\* ?/, '').trimEnd() || []) }];
  });

test.each(examples)('the example of $name comes to what it says', async ({ lines }) => {
  const known = { ...main, ...dynamodb, ...lambda, ...hono, Hono, expect };
  const told = /^(?<expression>.+); \/\/ (?<value>.+)$/;
  expect(lines.some((line) => told.test(line))).toBe(true);
  const body = lines.map((line) => line.replace(told, 'expect($<expression>).toEqual($<value>);')).join('\n');
  const run: unknown = new Function(...Object.keys(known), `return (async () => {\n${body}\n})();`);
  if (typeof run !== 'function') throw new TypeError('a function is a function');
  await run(...Object.values(known));
});

test('every function that the main entry exports has an example', () => {
  const functions = Object.entries(main).filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name));
  const names = examples.map(({ name }) => name);
  expect(functions.map(([name]) => name).filter((name) => !names.includes(name))).toEqual(['systemClock']);
});
