/** The columns that all output for people fits into. */
export const lineWidth = 80;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A whole number in at most seven characters: exact below ten million. */
export function figure(value: number): string {
  return value < 10_000_000 ? String(value) : compact.format(value);
}

/** A share of a limit, `40.7`; above 999 it is told as such, and of a limit of 0 there is none. */
export function percent(used: number, limit: number): string {
  if (limit === 0) return '–';
  const share = (used / limit) * 100;
  return share > 999.9 ? '>999' : share.toFixed(1);
}

/** A duration in the unit that people would say it in. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** A name in at most so many characters, cut in its middle: both its ends tell names apart. */
export function shortened(name: string, width: number): string {
  if (name.length <= width) return name;
  const tail = Math.floor((width - 1) / 2);
  return `${name.slice(0, width - 1 - tail)}…${name.slice(name.length - tail)}`;
}
