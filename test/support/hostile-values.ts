import fc from 'fast-check';

/** Stands in values of an input, with what would break out of a log line, a header, a key or a page; never to be seen again. */
export const canary = 'c4n4ry!';
/** The same in names of fields, which an answer may show in a pointer and nowhere else. */
export const nameCanary = 'n4m3';

const breakouts = [
  '',
  '"}\n{"level":"error","x":"',
  '\r\nSet-Cookie: a=b',
  '#quota',
  '\u0000',
  '\u2028',
  '{{jndi:x}}',
  '</a>',
  '\ud800',
  "'--",
];

/** Text that carries the canary. */
export const hostileText = fc
  .tuple(fc.constantFrom(...breakouts), fc.constantFrom(...breakouts))
  .map(([before, after]) => `${before}${canary}${after}`);

/** Names that mean something to JavaScript, and some that nobody knows. */
export const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  'accountId',
  'pk',
  nameCanary,
  `${nameCanary}"}\n{`,
  '',
  '0',
);

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 10_001, 1e21, -0, [], {}, '') },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);

/** A JSON value that no field wants. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(hostileName, leaf).map(([name, value]) => ownFields([[name, value]])) },
);

/** An object with exactly these own fields, `__proto__` included. */
export function ownFields(fields: readonly (readonly [string, unknown])[]): object {
  return Object.defineProperties(
    {},
    Object.fromEntries(
      fields.map(([name, value]) => [`${name}`, { value, enumerable: true, configurable: true, writable: true }]),
    ),
  );
}

/** Changes a JSON text in a way that may or may not leave it JSON. */
export const textMutation: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.nat(),
    fc.nat({ max: 6 }),
    fc.constantFrom(
      '',
      ',',
      '"',
      '{',
      '}',
      ']',
      '[',
      ':',
      '1e400',
      '9007199254740993',
      '\\u0000',
      '\\ud800',
      '\ufeff',
      '\u0000',
      '{"__proto__":{"polluted":1}}',
      canary,
      '//',
      'NaN',
      '-',
      '\\',
    ),
  )
  .map(([at, removed, inserted]) => (text) => {
    const start = text.length === 0 ? 0 : at % text.length;
    return text.slice(0, start) + inserted + text.slice(start + removed);
  });

const prototypeBefore = describePrototype();

/** Throws where anything has changed on the prototypes that all values share. */
export function expectCleanPrototypes(): void {
  if (describePrototype() !== prototypeBefore) throw new Error('A prototype was polluted.');
}

function describePrototype(): string {
  return [Object.prototype, Array.prototype, Function.prototype]
    .map((prototype) => Reflect.ownKeys(prototype).map(String).join())
    .join('\n');
}
