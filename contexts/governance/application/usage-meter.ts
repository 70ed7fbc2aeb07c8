import type { MaximumMeter, Meter, SumMeter } from '../domain/meter.ts';
import type { UsageCount } from '../domain/usage-tally.ts';

/** Counts usage for the rest of the platform. Never waits. An amount that is not a whole number is a bug. */
export interface UsageMeter {
  /** Adds an amount. */
  add(workspace: string, meter: SumMeter, amount: number): void;
  /** Reports the current amount. */
  observe(workspace: string, meter: MaximumMeter, amount: number): void;
}

/** Counts existing objects, in each workspace that has any. Needed because unchanged amounts are not announced. */
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
  /** Adds the counts, or does nothing if this batch was added before. */
  add(batch: UsageBatch, signal: AbortSignal): Promise<void>;
}
