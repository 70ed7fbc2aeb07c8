import { FleetError } from '#kit/std';

const LONGEST = 500;

/** What is kept of an error with an event: enough to see what is wrong, and never a whole document. */
export function describeError(error: unknown): string {
  const name = error instanceof FleetError ? String(error.code) : error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  const text = `${name}: ${message}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
