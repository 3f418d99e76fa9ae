import { type Html, html } from './html.ts';

/**
 * A bar as a picture beside its figures; screen readers pass it by. Its lengths are attributes: the page's policy allows no
 * element a style of its own.
 *
 * @param of `value` and `limit` on one scale from 0 to `scale`; `ticks` on it mark earlier limits
 */
export function bar(of: {
  readonly value: number;
  readonly limit: number;
  readonly scale: number;
  readonly ticks?: readonly number[];
  readonly kind?: 'warn';
}): Html {
  const x = (value: number): string => (of.scale <= 0 ? 0 : Math.min(100, (100 * value) / of.scale)).toFixed(2);
  const ticks = (of.ticks ?? []).map(
    (tick) => html`<line class="tick" x1="${x(tick)}" x2="${x(tick)}" y1="-2" y2="12"/>`,
  );
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="track" width="${x(of.limit)}" height="10"/><rect class="${of.kind === undefined ? 'fill' : `fill ${of.kind}`}" width="${x(of.value)}" height="10"/>${ticks}</svg>`;
}
