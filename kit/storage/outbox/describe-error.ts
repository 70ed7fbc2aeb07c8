import { FleetError } from '#kit/std';

const LONGEST = 500;

/** The error text stored with an event: enough for a diagnosis, and truncated. */
export function describeError(error: unknown): string {
  const name = error instanceof FleetError ? String(error.code) : error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  const text = `${name}: ${message}`;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
