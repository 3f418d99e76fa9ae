import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, test } from 'vitest';
import { bundle } from './bundle.ts';

const limitBytes = 1_500_000;

describe.each([
  { service: 'intake', functions: 'intake', clients: ['client-dynamodb', 'client-sqs'] },
  {
    service: 'worker',
    functions: 'worker and pacer',
    clients: ['client-dynamodb', 'client-eventbridge', 'client-sqs'],
  },
  {
    service: 'report',
    functions: 'reporter and closer',
    clients: ['client-dynamodb', 'client-eventbridge', 'client-s3', 'client-sqs'],
  },
] as const)('the bundle of $functions', ({ service, functions, clients }) => {
  const built = bundle(service);
  const code = readFileSync(`${built.directory}/index.js`, 'utf8');

  test('is small', () => {
    console.log(`Bundle of ${functions}: ${(built.bytes / 1000).toFixed(0)} kB minified, at most ${limitBytes / 1000}`);
    expect(built.bytes).toBe(Buffer.byteLength(code));
    expect(built.bytes).toBeLessThan(limitBytes);
  });

  test('holds the AWS clients that the service uses and no other', () => {
    const found = Object.entries(built.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([file]) => file.match(/@aws-sdk\/(client-[a-z0-9-]+)\//)?.[1] ?? []);
    expect([...new Set(found)].toSorted()).toEqual(clients);
  });

  test('holds everything: nothing but Node itself is loaded from outside', () => {
    const outside = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name = '']) => name);
    const notOfNode = new Set(outside.filter((name) => !isBuiltin(name)));
    // The SDK looks for this one in case somebody has brought it along (multi-Region signatures), and does without.
    notOfNode.delete('@aws-sdk/signature-v4-crt');
    expect([...notOfNode]).toEqual([]);
  });

  test('cannot read development tokens, and holds no test or local-stack code', () => {
    expect(code).not.toMatch(/dev:/);
    const strangers = Object.keys(built.inputs).filter((file) =>
      /local-stack|\/testing\/|\.test\.ts$|dynalite/.test(file),
    );
    expect(strangers).toEqual([]);
  });

  test('comes with its source map and nothing else', () => {
    expect(readdirSync(built.directory).toSorted()).toEqual(['index.js', 'index.js.map']);
    expect(code).toMatch(/\/\/# sourceMappingURL=index\.js\.map\n?$/);
  });
});
