const LONGEST = 80;

/** Text from outside as a message may quote it: on one line, and never longer than a reader can use. */
export function excerpt(raw: string): string {
  return JSON.stringify(raw.length > LONGEST ? `${raw.slice(0, LONGEST)}…` : raw);
}
