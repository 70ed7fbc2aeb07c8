import { FleetError } from '#kit/std';

/** Whether time or an operator may mend it. Anything else ends a loop, so that whoever runs it hears why. */
export function isPassing(error: unknown): boolean {
  return error instanceof FleetError && error.entry.retry !== 'never';
}
