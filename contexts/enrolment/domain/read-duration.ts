import { type FieldFault, formatDuration, parseDuration, StdError } from '#kit/std';

export interface DurationRule {
  readonly path: string;
  readonly otherwise: number;
  readonly min: number;
  readonly max: number;
}

/** Adds to `faults` instead of throwing. */
export function readDuration(raw: string | undefined, rule: DurationRule, faults: FieldFault[]): number {
  const { path, otherwise, min, max } = rule;
  if (raw === undefined) return otherwise;
  try {
    const ms = parseDuration(raw);
    if (ms < min || ms > max) {
      faults.push({ path, message: `must be from ${formatDuration(min)} to ${formatDuration(max)}` });
    }
    return ms;
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    faults.push({ path, message: 'must be a duration such as 12h or 30d' });
    return otherwise;
  }
}
