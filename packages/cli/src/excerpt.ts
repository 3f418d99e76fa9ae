const maxCharacters = 40;

/**
 * A text that someone else wrote, in quotes, as a message may show it: cut to 40 characters, and what does not print, or
 * changes how a terminal prints, is spelled as `\u{…}`.
 */
export function excerpt(text: string): string {
  // A character is at most two units long; cutting first keeps a message of a megabyte cheap.
  const characters = [...text.slice(0, 2 * maxCharacters + 2)];
  const isCut = characters.length > maxCharacters;
  const shown = characters.slice(0, maxCharacters).map(printable).join('');
  const quote = shown.includes('"') ? "'" : '"';
  return `${quote}${shown}${isCut ? '…' : ''}${quote}`;
}

function printable(character: string): string {
  const isPlain = /^[^\p{C}\p{Zl}\p{Zp}]$/u.test(character) && (character === ' ' || !/^\p{Zs}$/u.test(character));
  return isPlain ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
