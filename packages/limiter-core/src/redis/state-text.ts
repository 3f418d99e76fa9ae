import type { State } from '../limiter/strategies/strategy.ts';

/** A state's text: its kind's letter and its numbers, each in all its digits, with spaces between. */
const stateForm = /^([bsw])((?: -?\d+)+)$/;

/** A number in all its digits: `String` would turn to exponents, which the script does not read. */
export function digitsOf(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** The text of a state as Redis keeps it. */
export function stateText(state: State): string {
  switch (state.kind) {
    case 'bucket':
      return textOf('b', [state.tat, state.sinceMs, state.given, state.ticksPerMs, state.ticksPerCost]);
    case 'window':
      return textOf('w', [state.startMs, state.endMs, state.used]);
    case 'sliding':
      return textOf('s', [state.startMs, state.windowMs, state.used, state.previous]);
  }
}

function textOf(letter: string, numbers: readonly number[]): string {
  return [letter, ...numbers.map(digitsOf)].join(' ');
}

/** The state that a text stands for; undefined for what is none. */
export function parseState(text: string): State | undefined {
  const [, letter, digits = ''] = stateForm.exec(text) ?? [];
  const numbers = digits.split(' ').slice(1).map(Number);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = numbers;
  if (letter === 'b' && numbers.length === 5) {
    return { kind: 'bucket', tat: first, sinceMs: second, given: third, ticksPerMs: fourth, ticksPerCost: fifth };
  }
  if (letter === 's' && numbers.length === 4) {
    return { kind: 'sliding', startMs: first, windowMs: second, used: third, previous: fourth };
  }
  if (letter === 'w' && numbers.length === 3) return { kind: 'window', startMs: first, endMs: second, used: third };
  return undefined;
}
