import { type Html, html } from './html.ts';

/** An account's id as a link to its day on the page; the page's script follows it. */
export function accountLink({ accountId, timezone }: { readonly accountId: string; readonly timezone: string }): Html {
  // A half of a character has no form in an address.
  const [id, zone] = [accountId.toWellFormed(), timezone].map(encodeURIComponent);
  return html`<a href="#account=${id ?? ''}&amp;zone=${zone ?? ''}">${accountId}</a>`;
}
