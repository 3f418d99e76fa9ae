/**
 * The months as spreadsheets name them, short and long, in English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish,
 * Danish and Norwegian; each language with what the ones before it lack.
 */
const months = [
  'jan feb mar apr may jun jul aug sep sept oct nov dec',
  'january february march april june july august september october november december',
  'jän mär mrz mai okt dez januar jänner februar märz juni juli oktober dezember',
  'janv févr fevr mars avr juin juil août aout déc janvier février fevrier avril juillet septembre octobre novembre décembre decembre',
  'ene abr ago dic enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'gen mag giu lug set ott gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre',
  'fev out janeiro fevereiro março marco maio junho julho setembro outubro novembro dezembro',
  'mrt mei januari februari maart augustus',
  'maj des augusti marts desember',
];
/** The words that a number, an amount, a date or a time of these languages has beside its digits. */
const wordsOfNumbers = new Set(['am', 'pm', 'kr', 'chf', ...months.flatMap((names) => names.split(' '))]);

const truthNames =
  'true false wahr falsch vrai faux verdadero falso vero verdadeiro waar onwaar sant falskt sand falsk usann';
const truthValues = new Set(truthNames.split(' '));

/**
 * The begin of a formula: one of `= + - @` or their full-width forms, whatever unseen characters come before, which a spreadsheet
 * drops; or a tab or a line break (OWASP, CSV Injection).
 */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;

/**
 * A text defused: an apostrophe before it where a spreadsheet would take it for a formula, a number, a date or a truth value.
 * Some spreadsheets hide the apostrophe; for every other reader it is a part of the value.
 */
export function defused(text: string): string {
  const isTaken = formula.test(text) || isNumber(text) || isDayAndDate(text) || isTruth(text);
  return isTaken ? `'${text}` : text;
}

/** Digits, and no words but those of numbers: `007`, `1-2`, `5%`, `9am`, `MAR1`, `1.Mai.2026`; or an exponent: `1E5`. */
function isNumber(text: string): boolean {
  if (!hasDigit(text)) return false;
  const words = wordsOf(text);
  if (words.length === 1 && words[0] === 'e') return text.split(/e/i).every(hasDigit);
  return words.every((word) => wordsOfNumbers.has(word));
}

/** A date behind a word, as that of its weekday: `Mon.2026-11-29`, `So.1.Mai`. It has three numbers, or a word itself. */
function isDayAndDate(text: string): boolean {
  const date = text.trimStart().replace(/^\p{L}{2,12}[\s.,]{1,3}/u, '');
  if (date.length === text.length || !isNumber(date)) return false;
  return /\p{L}/u.test(date) || (date.match(/\p{N}+/gu) ?? []).length >= 3;
}

function wordsOf(text: string): readonly string[] {
  const lower = text.toLowerCase().replaceAll('a.m', 'am').replaceAll('p.m', 'pm');
  return lower.match(/\p{L}+/gu) ?? [];
}

function hasDigit(text: string): boolean {
  return /\p{N}/u.test(text);
}

function isTruth(text: string): boolean {
  return truthValues.has(text.trim().toLowerCase());
}
