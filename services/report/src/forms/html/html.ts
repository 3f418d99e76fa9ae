/** Text that is HTML already. Only {@link html} and the page's own constants make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/**
 * HTML of a template. Every value that is not HTML is text from outside and escaped, in content and in quoted attributes alike;
 * so no id can be markup, wherever it stands.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + (at < values.length ? htmlOf(values[at] ?? '') : '')).join(''));
}

/** No HTML at all, in the place of a part that is left out. */
export const nothing = new Html('');

function htmlOf(value: Part): string {
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * A value as JSON within a `script` element: `<`, `>` and `&` are escaped, so that no text ends the element or begins a comment,
 * and so are the two line separators that JavaScript took for line ends.
 */
export function jsonInHtml(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
