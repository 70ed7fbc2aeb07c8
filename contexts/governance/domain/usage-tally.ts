import { dayOf } from './day.ts';
import { GovernanceError } from './governance-error.ts';
import { METERS, type Meter } from './meter.ts';

/** An amount of a meter, in a workspace on a day. */
export interface UsageCount {
  readonly day: string;
  readonly workspace: string;
  readonly meter: Meter;
  readonly amount: number;
}

export interface Measured {
  readonly workspace: string;
  readonly meter: Meter;
  readonly amount: number;
  readonly now: number;
}

/** How many different counts fit between two flushes, even when the database is unreachable for long. */
const CAPACITY = 50_000;

/** Counts in memory, until they are taken. */
export class UsageTally {
  #counts = new Map<string, UsageCount>();

  /** False: there is no room for another count, and this one is lost. */
  count({ workspace, meter, amount, now }: Measured): boolean {
    if (!Number.isSafeInteger(amount) || amount < 0) {
      throw new GovernanceError('INVALID_AMOUNT', `meter ${meter}: ${amount} is not a whole number from 0`);
    }
    const day = dayOf(now);
    const key = `${day} ${meter} ${workspace}`;
    const before = this.#counts.get(key)?.amount;
    if (before === undefined && this.#counts.size >= CAPACITY) return false;
    this.#counts.set(key, { day, workspace, meter, amount: combined(meter, before ?? 0, amount) });
    return true;
  }

  /** Takes all counts, and starts from zero. */
  take(): UsageCount[] {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    return counts;
  }
}

function combined(meter: Meter, before: number, amount: number): number {
  return METERS[meter] === 'sum' ? before + amount : Math.max(before, amount);
}
