import type { Stage } from './stage.ts';

/**
 * A story told through API servers alone: a person's changes to objects, and their outcome. Either manager must satisfy
 * it; the state at each moment is compared field by field.
 */
export interface Scenario {
  /** Identifies its entries in intended-differences.ts. */
  readonly name: string;
  readonly why: string;
  /** Upstream waits half a minute or more in it: run by the soak only. */
  readonly slow?: boolean;
  play(stage: Stage): Promise<void>;
}
