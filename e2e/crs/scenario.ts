import type { Stage } from './stage.ts';

/**
 * A story told to API servers alone: what a person does to objects, and what becomes of them. Either manager has to live
 * up to it; what it looks like at each moment is compared field by field.
 */
export interface Scenario {
  /** Names its differences in intended-differences.ts. */
  readonly name: string;
  readonly why: string;
  /** Takes upstream half a minute or more of waiting: left to the soak. */
  readonly slow?: boolean;
  play(stage: Stage): Promise<void>;
}
