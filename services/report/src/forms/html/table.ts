import { figure } from './format.ts';
import { type Html, html, nothing } from './html.ts';

/** Rows that a table of the page has at most. The files have all. */
export const tableRowsMax = 100;

/** A table that scrolls by itself; a column named `n:…` holds numbers. */
export function tableOf(name: string, columns: readonly string[], rows: readonly Html[]): Html {
  if (rows.length === 0) return html`<p class="note">None.</p>`;
  const head = columns.map((column) =>
    column.startsWith('n:')
      ? html`<th scope="col" class="n">${column.slice(2)}</th>`
      : html`<th scope="col">${column}</th>`,
  );
  return html`<div class="scroll" role="group" aria-label="${name}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A line on the rows that a table leaves out. */
export function rest(all: number): Html {
  return all <= tableRowsMax
    ? nothing
    : html`<p class="note">And ${figure(all - tableRowsMax)} more, in report.json.</p>`;
}
