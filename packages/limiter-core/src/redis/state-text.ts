import type { State } from '../limiter/strategies/strategy.ts';

/** A state's text: its kind's letter and its numbers, each in all its digits, with spaces between. */
const forms = {
  bucket: /^b (-?\d+) (-?\d+) (\d+) ([1-9]\d*) ([1-9]\d*)$/,
  sliding: /^s (-?\d+) (\d+) (\d+) (\d+)$/,
  window: /^w (-?\d+) (-?\d+) (\d+)$/,
} as const;

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
  const bucket = forms.bucket.exec(text);
  if (bucket !== null) {
    const [, tat, sinceMs, given, ticksPerMs, ticksPerCost] = bucket;
    return {
      kind: 'bucket',
      tat: Number(tat),
      sinceMs: Number(sinceMs),
      given: Number(given),
      ticksPerMs: Number(ticksPerMs),
      ticksPerCost: Number(ticksPerCost),
    };
  }
  const window = forms.window.exec(text);
  if (window !== null) {
    const [, startMs, endMs, used] = window;
    return { kind: 'window', startMs: Number(startMs), endMs: Number(endMs), used: Number(used) };
  }
  const sliding = forms.sliding.exec(text);
  if (sliding === null) return undefined;
  const [, startMs, windowMs, used, previous] = sliding;
  return {
    kind: 'sliding',
    startMs: Number(startMs),
    windowMs: Number(windowMs),
    used: Number(used),
    previous: Number(previous),
  };
}
