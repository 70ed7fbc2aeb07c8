import { excerpt } from './excerpt.ts';
import { StdError } from './std-error.ts';

const UNITS = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
  { unit: 's', ms: 1_000 },
  { unit: 'ms', ms: 1 },
] as const;

const DURATION = new RegExp(`^${UNITS.map(({ unit }) => `(?:(0|[1-9][0-9]*)${unit})?`).join('')}$`);

/** Milliseconds of `500ms`, `30s`, `1h30m`, `7d`: whole numbers, larger units first, each unit once; a day is 24 hours. */
export function parseDuration(raw: string): number {
  const parts = DURATION.exec(raw);
  const total = UNITS.reduce((sum, { ms }, index) => sum + Number(parts?.[index + 1] ?? 0) * ms, 0);
  if (!parts || raw === '' || !Number.isSafeInteger(total)) {
    throw new StdError('INVALID_DURATION', `read ${excerpt(raw)} as a duration such as 500ms, 30s, 5m, 1h30m or 7d`);
  }
  return total;
}

/** The shortest text that `parseDuration` reads back as the same number. */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`a duration is whole milliseconds from 0, not ${ms}`);
  if (ms === 0) return '0s';
  let rest = ms;
  let text = '';
  for (const { unit, ms: size } of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
}
