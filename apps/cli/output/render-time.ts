const UNITS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
] as const;

/** `2026-11-15T20:38:56Z`: to the second, as nobody reads more. */
export function renderTime(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The time, and how far away it is: `2026-11-15T20:38:56Z (5m ago)`. */
export function renderTimeFrom(time: string, now: number): string {
  const away = Date.parse(time) - now;
  return `${renderTime(time)} (${away > 0 ? `in ${rough(away)}` : `${rough(-away)} ago`})`;
}

/** How long ago it was: `5m`. */
export function renderAge(time: string, now: number): string {
  return rough(Math.max(0, now - Date.parse(time)));
}

/** In the largest unit that there are two of. */
function rough(ms: number): string {
  const found = UNITS.find((each) => ms >= 2 * each.ms);
  return found === undefined ? `${Math.floor(ms / 1_000)}s` : `${Math.floor(ms / found.ms)}${found.unit}`;
}
