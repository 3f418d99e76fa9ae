type Bodies = Readonly<Record<string, () => string>>;

/** Lists of as many parts as fit a body of so many bytes. */
function filler(maxBytes: number) {
  const fill = (part: (n: number) => string, most = Number.POSITIVE_INFINITY): string => {
    const parts: string[] = [];
    let bytes = 100;
    for (let n = 0; n < most; n++) {
      const next = part(n);
      bytes += Buffer.byteLength(next) + 1;
      if (bytes > maxBytes) break;
      parts.push(next);
    }
    return parts.join(',');
  };
  const rows = (row: (n: number) => string): string => `{"reservations":[${fill(row, 10_000)}]}`;
  return { fill, rows };
}

const numbers = `[${'1,'.repeat(1_990)}1]`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Bodies of at most so many bytes that are bookings. */
export function validBodies(maxBytes: number): Bodies {
  const { rows } = filler(maxBytes);
  return {
    'text in details': () => rows((n) => `{"id":"r${n}","details":{"x":"${'y'.repeat(380)}"}}`),
    'numbers in details': () => rows((n) => `{"id":"r${n}","details":{"x":${numbers}}}`),
    'fractions in details': () => rows((n) => `{"id":"r${n}","details":{"x":[${'0.1,'.repeat(1_000)}1]}}`),
    'nesting in details': () => rows((n) => `{"id":"r${n}","details":{"x":[${`${nested(60)},`.repeat(30)}0]}}`),
  };
}

/** Bodies of at most so many bytes that are none, each of a kind that costs some parser or validator dearly. */
export function hostileBodies(maxBytes: number): Bodies {
  const { fill, rows } = filler(maxBytes);
  const zeros = '0'.repeat(maxBytes - 100);
  const detail = (json: string): string => `{"reservations":[{"id":"a","details":{"x":${json}}}]}`;
  return {
    'unknown fields': () => `{${fill((n) => `"k${n}":0`)}}`,
    'unknown fields of a row': () => `{"reservations":[{"id":"a",${fill((n) => `"k${n}":0`)}}]}`,
    'forty unknown fields of each row': () =>
      rows((n) => `{"id":"r${n}",${Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join()}}`),
    'one field again and again': () => `{${fill(() => '"k":0')}}`,
    'names that are numbers': () => `{${fill((n) => `"${n * 65_536}":0`)}}`,
    'long names': () => `{${fill((n) => `"${'k'.repeat(1_000)}${n}":0`)}}`,
    'one long name': () => `{"${'k'.repeat(maxBytes - 100)}":1}`,
    'a list for a body': () => `[${fill(() => '0')}]`,
    'a list for a row': () => `{"reservations":[[${fill(() => '0')}]]}`,
    'a list for a mode': () => `{"mode":[${fill(() => '0')}],"reservations":[{"id":"a"}]}`,
    'rows that are none': () => `{"reservations":[${fill(() => '{}')}]}`,
    'a bad field in each row': () => rows((n) => `{"id":"r${n}","cost":0,"details":[]}`),
    'every field bad in each row': () => rows(() => '{"id":{"a":[]},"cost":{"b":1},"details":"x"}'),
    'one id for all rows': () => rows(() => '{"id":"r"}'),
    'lone surrogates': () => rows(() => `{"id":"${'\\ud800'.repeat(60)}"}`),
    'one long id': () => `{"reservations":[{"id":"${'\\ud800'.repeat(Math.floor(maxBytes / 6) - 20)}"}]}`,
    'many fields in details': () => `{"reservations":[{"id":"a","details":{${fill((n) => `"k${n}":0`)}}}]}`,
    'huge exponents': () => `{"reservations":[{"id":"a","details":{"x":[${fill(() => '1e999999999')}]}}]}`,
    'one long number': () => `{"reservations":[{"id":"a","cost":${'1'.repeat(maxBytes - 100)}}]}`,
    'one long fraction': () => `{"reservations":[{"id":"a","cost":0.${'0'.repeat(maxBytes - 100)}1}]}`,
    'an inexact number among many': () => rows((n) => `{"id":"r${n}","details":{"x":${n === 50 ? '1e400' : numbers}}}`),
    'zeros inside a number': () => detail(`0.1${zeros}1`),
    'zeros in front of a number': () => detail(`0.${zeros}1`),
    'zeros behind a number': () => detail(`1.${zeros}`),
    'zeros in an exponent': () => detail(`1e${zeros}1`),
    'zeros inside a whole number': () => detail(`1${zeros}1`),
    'zeros inside a number, and no JSON': () => `[0.1${zeros}1`,
    'an inexact number before many': () => detail(`[1e400${',0'.repeat(zeros.length / 2)}]`),
    'numbers of 17 digits': () => detail(`[${fill(() => '0.10000000000000001')}]`),
    'the smallest numbers': () => detail(`[${fill(() => '4.9e-324')}]`),
    'numbers of the longest kind': () => detail(`[${fill(() => `${'1'.repeat(700)}e-1000`)}]`),
    escapes: () => `{"reservations":[{"id":"${'\\n'.repeat(zeros.length / 2)}"}]}`,
    'names with escapes': () => `{${fill((n) => `"\\u006b${n}":0`)}}`,
    'a body that repeats each of many names': () => `{${fill((n) => `"k${n >> 1}":0`)}}`,
    'lists for all rows': () => rows(() => '[]'),
    'nesting of details': () => rows((n) => `{"id":"r${n}","details":{"x":${nested(2_040)}}}`),
    'nesting of everything': () => nested(maxBytes / 2),
    'a text that breaks off': () => `{"reservations":[${'{"id":"a"},'.repeat(Math.floor(maxBytes / 11) - 20)}`,
  };
}
