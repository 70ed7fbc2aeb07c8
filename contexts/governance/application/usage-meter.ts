import type { MaximumMeter, Meter, SumMeter } from '../domain/meter.ts';
import type { UsageCount } from '../domain/usage-tally.ts';

/** What the rest of the platform counts with. It never waits; an amount that is no whole number is a mistake in the code. */
export interface UsageMeter {
  /** So many more. */
  add(workspace: string, meter: SumMeter, amount: number): void;
  /** So many there are now. */
  observe(workspace: string, meter: MaximumMeter, amount: number): void;
}

/** Knows how many of something there are, in each workspace that has any: what does not change is not announced. */
export interface GaugeSource {
  readonly meter: Extract<Meter, MaximumMeter>;
  read(signal: AbortSignal): Promise<readonly { readonly workspace: string; readonly amount: number }[]>;
}

/** One flush of one process. */
export interface UsageBatch {
  readonly writer: string;
  /** 1, 2, 3, ... */
  readonly number: number;
  readonly counts: readonly UsageCount[];
  readonly now: number;
}

export interface UsageStore {
  /** Adds the counts, or does nothing when this very batch was added before. */
  add(batch: UsageBatch, signal: AbortSignal): Promise<void>;
}
