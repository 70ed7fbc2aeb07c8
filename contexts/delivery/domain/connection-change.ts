import type { TargetRef } from '#protocol/targets';

/** The agent of a target connected or disconnected. */
export interface ConnectionChange {
  readonly target: TargetRef;
  readonly isOnline: boolean;
  /** When the connection changed. */
  readonly time: number;
}
