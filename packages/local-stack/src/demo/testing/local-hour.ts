/** The local date and hour in which an instant lies, by the tables of the machine's own `Intl`. */
export interface LocalHour {
  readonly date: string;
  /** The local time at which the hour begins, with its offset from UTC: `02:00-08:00`. */
  readonly hour: string;
  readonly startsAt: string;
}

/** Reads the clock on the wall of a zone. Right for zones that change their clocks at full hours. */
export function localHour(instant: string, timeZone: string): LocalHour {
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', {
    ...fields,
    timeZone,
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  const shown = Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  const offset = shown.timeZoneName === 'GMT' ? '+00:00' : shown.timeZoneName?.replace('GMT', '');
  const minuteMs = 60_000;
  const startsAtMs = Math.floor(Date.parse(instant) / minuteMs) * minuteMs - Number(shown.minute) * minuteMs;
  return {
    date: `${shown.year}-${shown.month}-${shown.day}`,
    hour: `${shown.hour}:00${offset}`,
    startsAt: new Date(startsAtMs).toISOString(),
  };
}
