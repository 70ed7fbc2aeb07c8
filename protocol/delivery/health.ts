export const HEALTHS = ['Available', 'Degraded', 'Unknown'] as const;

/** Health of a deployment on a target. `Unknown` until the agent has reported since the target changed or reconnected. */
export type Health = (typeof HEALTHS)[number];

/** When a document of this kind is healthy, beyond the rules that an agent has built in. */
export interface HealthRule {
  /** `apps`; left out for the core group. */
  readonly apiGroup?: string;
  readonly kind: string;
  /** CEL over `object`, evaluated by the agent; true means healthy. */
  readonly healthy: string;
}
