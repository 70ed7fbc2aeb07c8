import { parseDuration } from '#kit/std';
import { UsageError } from '../../../command.ts';

const DURATION = /^(?:\d+(?:ms|[dhms]))+$/;

/** A point in time: a timestamp, a day, or how long ago, as `1h30m`. Undefined stays undefined. */
export function timeArgument(flag: string, given: string | undefined, now: number): string | undefined {
  if (given === undefined) return undefined;
  if (DURATION.test(given)) return new Date(now - parseDuration(given)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new UsageError(
    `${flag} ${given}: give a time as 2026-11-15T20:00:00Z, a day as 2026-11-15, or how long ago as 1h or 7d`,
  );
}
