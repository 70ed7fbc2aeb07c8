import { FleetError } from '#kit/std';

/** Whether time or an operator may mend it: a call that took too long, too. Anything else ends a loop, so that whoever runs it hears why. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError';
  return error instanceof FleetError && error.entry.retry !== 'never';
}
