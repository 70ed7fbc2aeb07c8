import { FleetError } from '#kit/std';

/** Whether time or an operator may fix the error. Any other error ends the loop, so that its supervisor reports it. */
export function isPassing(error: unknown): boolean {
  return error instanceof FleetError && error.entry.retry !== 'never';
}
