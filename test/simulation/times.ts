import { keptQueue } from '@usher/contracts';
import { retention } from '@usher/limiter-core/bulk';

export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Local midnights, days on which clocks change among them: at midnight itself, by half an hour, over a whole day. */
export const midnights: readonly [{ zone: string; atMs: number }, ...{ zone: string; atMs: number }[]] = [
  { zone: 'UTC', atMs: Date.parse('2026-11-30T00:00:00Z') },
  { zone: 'Asia/Shanghai', atMs: Date.parse('2026-11-29T16:00:00Z') },
  { zone: 'Europe/Berlin', atMs: Date.parse('2026-03-28T23:00:00Z') },
  { zone: 'Europe/Berlin', atMs: Date.parse('2026-10-25T23:00:00Z') },
  { zone: 'America/New_York', atMs: Date.parse('2026-11-02T05:00:00Z') },
  { zone: 'Africa/Cairo', atMs: Date.parse('2026-04-23T22:00:00Z') },
  { zone: 'America/Santiago', atMs: Date.parse('2026-09-06T04:00:00Z') },
  { zone: 'Australia/Lord_Howe', atMs: Date.parse('2026-10-03T13:30:00Z') },
  { zone: 'Pacific/Kiritimati', atMs: Date.parse('2026-06-30T10:00:00Z') },
];

/** The age up to which an unanswered booking is taken up again: its chunks then still have their time in a queue. */
export const resumableMs = retention.unsettledMs - keptQueue.retentionSeconds * secondMs;
