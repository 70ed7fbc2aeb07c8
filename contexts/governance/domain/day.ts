const DAY_MS = 86_400_000;

/** `2026-11-15`, by UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function daysBefore(time: number, days: number): string {
  return dayOf(time - days * DAY_MS);
}
