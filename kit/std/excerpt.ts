const LONGEST = 80;

/** Quotes external text for a message: on one line, and truncated. */
export function excerpt(raw: string): string {
  return JSON.stringify(raw.length > LONGEST ? `${raw.slice(0, LONGEST)}…` : raw);
}
