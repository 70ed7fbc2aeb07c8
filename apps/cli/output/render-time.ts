const UNITS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
] as const;

/** `2026-11-15T20:38:56Z`: to the second. */
export function renderTime(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The time, and its distance from now: `2026-11-15T20:38:56Z (5m ago)`. */
export function renderTimeFrom(time: string, now: number): string {
  const away = Date.parse(time) - now;
  return `${renderTime(time)} (${away > 0 ? `in ${rough(away)}` : `${rough(-away)} ago`})`;
}

/** The age: `5m`. */
export function renderAge(time: string, now: number): string {
  return rough(Math.max(0, now - Date.parse(time)));
}

/** In the largest unit of which there are at least two. */
function rough(ms: number): string {
  const found = UNITS.find((each) => ms >= 2 * each.ms);
  return found === undefined ? `${Math.floor(ms / 1_000)}s` : `${Math.floor(ms / found.ms)}${found.unit}`;
}
