import { describe, expect, test } from 'vitest';
import { compileEventPattern } from './event-pattern.ts';

const event = { source: 'usher.quota', detail: { n: 1, ok: true, none: null, tags: ['x', 'y'], name: 'Berlin' } };

describe('an event pattern', () => {
  test.each([
    [{ source: ['usher.quota'] }, true],
    [{ source: ['other', 'usher.quota'] }, true],
    [{ source: ['usher'] }, false],
    [{ source: [{ prefix: 'usher.' }] }, true],
    [{ source: [{ prefix: 'quota' }] }, false],
    [{ detail: { n: [1] } }, true],
    [{ detail: { n: ['1'] } }, false],
    [{ detail: { n: [{ prefix: '1' }] } }, false],
    [{ detail: { ok: [true], none: [null] } }, true],
    [{ detail: { none: [false] } }, false],
    [{ detail: { tags: ['y'] } }, true],
    [{ detail: { tags: ['z'] } }, false],
    [{ detail: { missing: [null] } }, false],
    [{ source: { deeper: ['x'] } }, false],
    [{ detail: { toString: [null] } }, false],
    [{ source: ['usher.quota'], detail: { name: ['Paris'] } }, false],
  ])('%j matches the event: %s', (pattern, matches) => {
    expect(compileEventPattern(JSON.stringify(pattern))(event)).toBe(matches);
  });

  test.each([
    '{',
    '[]',
    '{}',
    '"source"',
    '{"source":"usher.quota"}',
    '{"source":[]}',
    '{"detail":{}}',
    '{"source":[{"anything-but":"x"}]}',
    '{"source":[{"prefix":1}]}',
    '{"source":[{"prefix":"a","suffix":"b"}]}',
    '{"source":[["nested"]]}',
  ])('%s is refused rather than half understood', (pattern) => {
    expect(() => compileEventPattern(pattern)).toThrow('Event pattern is not valid');
  });
});
