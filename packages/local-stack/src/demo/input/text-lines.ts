/** A line of a text: its number from 1, where it begins, itself, and where the next one begins. */
export interface Line {
  readonly line: number;
  readonly start: number;
  readonly content: string;
  readonly next: number;
}

/** The lines of a text, which end as any system ends them. */
export function* linesOf(text: string): Generator<Line> {
  let line = 1;
  for (let at = 0; at < text.length; line++) {
    let end = at;
    while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1;
    const next = end + (text.startsWith('\r\n', end) ? 2 : 1);
    yield { line, start: at, content: text.slice(at, end), next };
    at = next;
  }
}

/** White space of any kind, and what takes no place: zero-width spaces, byte order marks, marks of direction. */
export function isInvisible(character: string): boolean {
  return /^[\s\p{Z}\p{Cf}]$/u.test(character);
}

/** A text without what is invisible around it. */
export function trimInvisible(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isInvisible(text.charAt(start))) start += 1;
  while (end > start && isInvisible(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
