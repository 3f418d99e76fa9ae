import { toRfc3339, windowOn } from '@usher/limiter-core/bulk';
import type { AccountDayFacts } from '../model/facts.ts';
import { factsOf, quarantineEvent, type ToldChunk } from './facts.ts';

/** A day to make. */
export interface MadeDay {
  readonly date: string;
  readonly accounts: number;
  /** Chunks of the busiest accounts; others have fewer. */
  readonly chunks: number;
  readonly timezones: readonly string[];
  readonly seed: number;
  /** True: some accounts drift, miss chunks, have quarantined messages and late events. */
  readonly faulty?: boolean;
}

const names = [
  'northwind',
  'contoso',
  'fabrikam',
  'acme',
  'globex',
  'initech',
  'umbra',
  'vela',
  'orion',
  'lumen',
] as const;
const kinds = ['air', 'rail', 'tours', 'hotels', 'cargo', 'travel', 'group', 'events'] as const;

/** Accounts of a made day, one by one: the same for the same seed. Usage follows office hours, and a few accounts have most. */
export function* madeDay(day: MadeDay): Generator<AccountDayFacts> {
  for (let at = 0; at < day.accounts; at++) yield madeAccount(day, at);
}

const limits = [500, 1000, 2000, 5000, 20_000, 50_000] as const;

function madeAccount(day: MadeDay, at: number): AccountDayFacts {
  // An account keeps its character from day to day; the seed is the day's weather.
  const character = randomOf(at);
  const random = randomOf(day.seed * 1_000_003 + at);
  const timezone = day.timezones[at % day.timezones.length] ?? 'UTC';
  const window = windowOn(day.date, timezone);
  const share = Math.min(1, (0.4 + 0.6 * character()) * (30 / (30 + at)) + 0.02 * character());
  const limit = limits[Math.floor(character() ** 2 * limits.length)] ?? 1000;
  const demand = limit * (0.12 + 0.75 * character() + (at % 13 === 2 ? 0.5 : 0)) * (0.85 + 0.3 * random());
  const count = at > 20 && random() < 0.1 ? 0 : Math.max(1, Math.round(share * day.chunks));
  const mode = at % 17 === 5 ? 'observe' : 'enforce';
  const isRaised = at % 7 === 2;
  const room = { limit: isRaised ? Math.round(limit * 0.8) : limit, used: 0 };
  const startsAtMs = Date.parse(window.startsAt);
  const dayMs = Date.parse(window.resetsAt) - startsAtMs;
  const instants = Array.from({ length: count }, () => officeHours(random)).sort((a, b) => a - b);
  const chunks = instants.map((instant, chunk): ToldChunk => {
    if (isRaised && chunk === Math.floor(count * 0.7)) room.limit = limit;
    const acceptedAtMs = Math.floor(startsAtMs + instant * dayMs);
    return {
      bookingId: `bk_${String(at).padStart(6, '0')}${String(Math.floor(chunk / 4)).padStart(4, '0')}`,
      chunk: chunk % 4,
      acceptedAt: toRfc3339(acceptedAtMs),
      decidedAt: toRfc3339(acceptedAtMs + Math.floor(40 + 900 * random() ** 6 + 120 * random())),
      limit: room.limit,
      mode,
      ...decided(room, mode, Math.ceil((demand / count) * (0.6 + 0.8 * random())), random),
    };
  });
  const facts = factsOf({ accountId: nameOf(at), date: day.date, timezone, chunks });
  return day.faulty === true ? withFaults(facts, at) : facts;
}

/** A chunk's rows: granted as far as they fit, the rest refused, or in observe mode granted all the same. */
function decided(
  room: { limit: number; used: number },
  mode: 'enforce' | 'observe',
  wanted: number,
  random: () => number,
): Pick<ToldChunk, 'granted' | 'byReason'> {
  const fits = Math.max(0, Math.min(wanted, room.limit - room.used));
  const over = wanted - fits;
  const cost = mode === 'observe' ? wanted : fits;
  room.used += cost;
  const rows = (of: number): number => (of === 0 ? 0 : Math.max(1, Math.ceil(of / 2.3)));
  const byReason =
    over === 0
      ? {}
      : { [random() < 0.06 ? 'exceeds_limit' : 'daily_quota_exceeded']: { count: rows(over), cost: over } };
  return { granted: { count: rows(cost), cost }, byReason };
}

function withFaults(facts: AccountDayFacts, at: number): AccountDayFacts {
  const lookedAt = toRfc3339(Date.parse(facts.window.resetsAt) + 4_798_000);
  const more: Partial<AccountDayFacts> = {
    backlog: {
      cost: at % 7 === 0 ? 40 + at : 0,
      clearsAt: at % 7 === 0 ? toRfc3339(Date.parse(lookedAt) + 90_000 + at * 1000) : null,
      lookedAt,
    },
    repeats: at % 40 === 0 ? 3 : 0,
  };
  if (at === 4) return { ...facts, ...more, usageEvents: facts.usageEvents.slice(1) };
  if (at === 11)
    return { ...facts, ...more, headers: facts.headers.map((header) => ({ ...header, status: 'accepting' })) };
  if (at === 9 || at === 340)
    return { ...facts, ...more, quarantineEvents: [quarantineEvent(`m-${at}`, { reason: 'processing_failed' })] };
  if (at === 6 || at === 88) {
    const lateEvents = facts.usageEvents
      .slice(0, 1)
      .map(({ metadata }) => ({ eventId: metadata.id, receivedAt: lookedAt }));
    return { ...facts, ...more, lateEvents };
  }
  return { ...facts, ...more };
}

function nameOf(at: number): string {
  const name = `${names[at % names.length]}-${kinds[Math.floor(at / names.length) % kinds.length]}`;
  return at < names.length * kinds.length ? name : `${name}-${at}`;
}

/** A place in the day between 0 and 1: mostly between eight and eighteen, now and then at any time. */
function officeHours(random: () => number): number {
  return random() < 0.12 ? random() : (8 + 10 * ((random() + random()) / 2)) / 24;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
