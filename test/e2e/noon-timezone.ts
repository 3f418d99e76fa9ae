/**
 * The zone in which it is noon, give or take half an hour: a booking's window is the local day, and no run may pass
 * midnight. (The sign of these zones' names is the opposite of the usual one: `Etc/GMT-3` is three hours ahead.)
 */
export function noonTimezone(now: Date): string {
  const ahead = 12 - Math.round(now.getUTCHours() + now.getUTCMinutes() / 60);
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
