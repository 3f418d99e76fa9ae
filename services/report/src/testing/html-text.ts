import type { Html } from '../forms/html/html.ts';

/** The text of a part of a page, as it is read: one blank between elements. */
export function readText({ text }: Html): string {
  return text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll(
      /&lt;|&gt;|&amp;|&quot;|&#39;/g,
      (entity) => ({ '&lt;': '<', '&gt;': '>', '&amp;': '&' })[entity] ?? "'",
    )
    .trim();
}

/** The rows of a part's tables, each as the texts of its cells; those of the heads among them. */
export function readRows({ text }: Html): string[][] {
  return [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => readText({ text: cell })),
  );
}
