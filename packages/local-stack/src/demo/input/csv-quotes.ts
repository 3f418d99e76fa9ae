import { excerpt } from '@usher/cli';
import type { CsvFault } from './csv-text.ts';
import { type Line, linesOf } from './text-lines.ts';

interface Place {
  /** The line on which the faulty row begins. */
  readonly line: number;
  readonly separator: string;
}

/** The fault of a row whose quotes are wrong, at the line of the first wrong quote. */
export function explainQuote(text: string, { line, separator }: Place): CsvFault {
  const { at, kind } = findFault(text, startOf(text, line), separator);
  const own = lineOf(text, at);
  const shown = excerpt(text.slice(at, own.start + own.content.length));
  return { line: own.line, problem: problems[kind](shown) };
}

const problems = {
  open: (shown: string) =>
    `a quote opens here and is never closed: ${shown}; close it where its cell ends, or remove it`,
  early: (shown: string) =>
    `a quote opens here and is closed inside its cell: ${shown}; close it where the cell ends, and write a quote of the text twice`,
  inside: (shown: string) =>
    `a quote stands inside a cell that does not begin with one: ${shown}; put the cell in quotes, and write this one twice`,
};

interface Fault {
  /** The offset of the quote. */
  readonly at: number;
  readonly kind: keyof typeof problems;
}

/** Goes cell by cell, as RFC 4180 has them, to the first one whose quotes are wrong. */
function findFault(text: string, from: number, separator: string): Fault {
  for (let at = from; at < text.length; at++) {
    at = skipBlanks(text, at, separator);
    const start = at;
    if (text[start] === '"') {
      const close = closingQuote(text, start + 1);
      if (close === -1) return { at: start, kind: 'open' };
      at = skipBlanks(text, close + 1, separator);
      if (!isEnd(text, at, separator)) return { at: start, kind: 'early' };
    } else {
      while (!isEnd(text, at, separator)) at += 1;
      const inside = text.slice(start, at).indexOf('"');
      if (inside !== -1) return { at: start, kind: 'inside' };
    }
  }
  return { at: from, kind: 'open' };
}

function skipBlanks(text: string, from: number, separator: string): number {
  let at = from;
  while ((text[at] === ' ' || text[at] === '\t') && text[at] !== separator) at += 1;
  return at;
}

/** The offset of the quote that closes a cell, or -1; two quotes are one of the cell's own. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function isEnd(text: string, at: number, separator: string): boolean {
  return at >= text.length || text[at] === separator || text[at] === '\n' || text[at] === '\r';
}

function startOf(text: string, wanted: number): number {
  for (const { line, start } of linesOf(text)) if (line === wanted) return start;
  return 0;
}

function lineOf(text: string, at: number): Line {
  for (const line of linesOf(text)) if (line.next > at) return line;
  return { line: 1, start: 0, content: text, next: text.length };
}
