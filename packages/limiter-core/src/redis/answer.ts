import { CorruptItemError, UsherError } from '../errors.ts';
import type { Taken } from '../limiter/store.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { parseState } from './state-text.ts';

/** The script's answer: the key, or the server's instant where a calendar's span does not hold it. */
export type Answer = Taken | { readonly outsideAtMs: number };

const answerForm = /^([STX]) (-?\d+)(?: (-?\d+)(\|.*)?)?$/;

/**
 * Reads the script's answer.
 *
 * @throws CorruptItemError where the script met a field that it cannot read
 * @throws UsherError for what no script of ours answers
 */
export function readAnswer(answer: unknown, key: string): Answer {
  if (typeof answer !== 'string') throw unreadable(typeof answer);
  if (answer.startsWith('C ')) throw new CorruptItemError(key, `${answer.slice(2)} is not in its form`);
  const [, letter, now, blockedUntil, states] = answerForm.exec(answer) ?? [];
  if (letter === undefined) throw unreadable('another text');
  if (letter === 'X') return { outsideAtMs: Number(now) };
  return {
    taken: letter === 'T',
    nowMs: Number(now),
    blockedUntilMs: Number(blockedUntil),
    states: states === undefined ? [] : states.slice(1).split('|').map(readState),
  };
}

function readState(text: string): State | undefined {
  if (text === '') return undefined;
  const state = parseState(text);
  if (state === undefined) throw unreadable('a state in another form');
  return state;
}

function unreadable(was: string): UsherError {
  return new UsherError(`Redis must answer the script's text (was ${was})`);
}
