import { toRfc3339 } from '@usher/limiter-core/bulk';
import { type Html, html } from './html.ts';

/** A whole number with commas: `12,345`. */
export function figure(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A number of at most four characters for narrow cells: `950`, `9.5k`, `120M`. */
export function shortFigure(value: number): string {
  if (value < 1000) return String(value);
  const units = ['k', 'M', 'G', 'T', 'P'];
  const step = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** step;
  const text = scaled < 9.95 ? scaled.toFixed(1).replace('.0', '') : String(Math.round(scaled));
  return text === '1000' && step < units.length ? `1${units[step]}` : `${text}${units[step - 1]}`;
}

/** A share as per cent: `84.2 %`. */
export function percent(share: number): string {
  const value = share * 100;
  return `${Math.abs(value) >= 99.95 || value === 0 ? figure(Math.round(value)) : value.toFixed(1)}\u00a0%`;
}

/** A duration: `84 ms`, `1.2 s`, `15 min`, `3 min 5 s`, `2 h 4 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}\u00a0s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts =
    hours > 0
      ? ([
          [hours, 'h'],
          [minutes, 'min'],
        ] as const)
      : ([
          [minutes, 'min'],
          [seconds % 60, 's'],
        ] as const);
  return parts.flatMap(([value, unit]) => (value === 0 ? [] : [`${value}\u00a0${unit}`])).join(' ');
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const weekdays = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'] as const;

const dayMs = 86_400_000;

/** A calendar day with its weekday: `Sunday 29 November 2026`. */
export function longDate(date: string): string {
  const [year, month, day] = date.split('-');
  return `${weekdayOf(date)} ${Number(day)} ${monthNames[Number(month) - 1] ?? month} ${Number(year)}`;
}

/** The same weekday seven days before, `Sunday 22 November`. */
export function weekBeforeName(date: string): string {
  const day = dayNumber(date) - 7;
  const [, month = '', of = ''] = toRfc3339(day * dayMs)
    .slice(0, 10)
    .split('-');
  return `${weekdays[((day % 7) + 7) % 7] ?? ''} ${Number(of)} ${monthNames[Number(month) - 1] ?? ''}`;
}

/** An instant: `29 Nov 12:04:09 UTC`, machine-readable besides. */
export function instant(at: string): Html {
  return html`<time datetime="${at}">${instantText(at)}</time>`;
}

/** The time of an instant alone: `12:04 UTC`; the whole of it is there for programs. */
export function timeOf(at: string): Html {
  return html`<time datetime="${at}">${at.slice(11, 16)} UTC</time>`;
}

/** The same as text alone. */
export function instantText(at: string): string {
  const [, , month = '', day = '', time = ''] = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})/.exec(at) ?? [];
  const short = time.endsWith(':00') ? time.slice(0, 5) : time;
  return `${Number(day)} ${months[Number(month) - 1] ?? ''} ${short} UTC`;
}

/** A count with its noun: `1 account`, `2 accounts`. */
export function counted(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function weekdayOf(date: string): string {
  return weekdays[((dayNumber(date) % 7) + 7) % 7] ?? '';
}

function dayNumber(date: string): number {
  return Math.floor(Date.parse(date) / dayMs);
}
