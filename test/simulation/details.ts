import { type } from 'arktype';
import type { Prng } from './prng.ts';
import type { Row } from './scenario.ts';

const parseDetails = type('string.json.parse').to('object');
/** Details as JSON, because an object's literal could not hold what a partner's JSON can. */
const oddDetails: readonly [string, ...string[]] = [
  '{}',
  '{"passport":"X 1234567","party":{"adults":2,"children":[3,7.5]}}',
  '{"__proto__":{"isAdmin":true},"constructor":null,"b":1,"a":2}',
  '{"name":"Zoë 日本 👩‍👩‍👧","note":"\\u2028\\"quoted\\"\\\\"}',
  '{"10":"ten","9":"nine","small":1e-7,"large":1e+21}',
  '{"nested":[[[[[[]]]]],{"":{"":[]}}]}',
];

/** Gives rows their own data: most bookings none, some a little, few so much that a chunk holds fewer rows. */
export function detailed(prng: Prng, rows: readonly Row[]): Row[] {
  const share = prng.pick([0, 0, 0.5, 1]);
  const isLarge = prng.chance(0.02);
  return rows.map((row): Row => {
    if (!prng.chance(share)) return row;
    return { ...row, details: isLarge ? { text: 'x'.repeat(3900) } : parseDetails.assert(prng.pick(oddDetails)) };
  });
}
