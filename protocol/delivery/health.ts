export const HEALTHS = ['Available', 'Degraded', 'Unknown', 'Progressing'] as const;

/**
 * Health of a deployment on a target. `Progressing`: on its way, nothing has failed, and not available. `Unknown` until the
 * agent has reported since the target changed or reconnected, and while it cannot tell. That content is applied is no
 * health, but the state of the delivery.
 */
export type Health = (typeof HEALTHS)[number];

/** When a document of this kind is healthy, beyond the rules that an agent has built in. */
export interface HealthRule {
  /** `apps`; left out for the core group. */
  readonly apiGroup?: string;
  readonly kind: string;
  /** CEL over `object`, evaluated by the agent; true means healthy. */
  readonly healthy: string;
}
