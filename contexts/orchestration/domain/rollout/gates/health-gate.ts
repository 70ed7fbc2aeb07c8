import { parseDuration } from '#kit/std';
import { durationFaults } from '../../budget/budget.ts';
import type { Gate } from './gate.ts';

export type HealthGate = {
  readonly type: 'health';
  /** How long all targets have to be available without interruption. */
  readonly stableDuration?: string;
  /** Deadline for that; by default the stable duration plus the progress deadline. */
  readonly timeout?: string;
};

/**
 * Waits until all targets of the stage have been available for a while.
 *
 * DECISION: whenever a target becomes unavailable the clock restarts, and nothing fails. The gate fails only if it has
 * not been passed by its timeout; then the stage's `failurePolicy` applies. A target that flaps once costs time; one that
 * keeps flapping is never taken for healthy, nor waited for without end.
 */
export const healthGate: Gate<HealthGate, Record<string, never>> = {
  type: 'health',
  faults: ({ stableDuration, timeout }, at) => [
    ...durationFaults(stableDuration, `${at}/stableDuration`),
    ...durationFaults(timeout, `${at}/timeout`),
  ],
  open: () => ({ memory: {}, asks: [] }),
  judge({ stableDuration, timeout }, _, { health, openedAt, now, progressDeadlineMs }) {
    const stableMs = stableDuration === undefined ? 0 : parseDuration(stableDuration);
    const stableAt = health.unhealthy === 0 ? health.healthySince + stableMs : Infinity;
    if (now >= stableAt) return { kind: 'go' };
    const endsAt = openedAt + (timeout === undefined ? stableMs + progressDeadlineMs : parseDuration(timeout));
    if (now >= endsAt) {
      const message = 'timeout: the targets did not stay available for long enough';
      return { kind: 'no', reason: 'GateUnhealthy', message, isFailure: true };
    }
    const waits = { kind: 'wait', until: Math.min(stableAt, endsAt), unblock: 'targets stay available' } as const;
    if (health.unhealthy > 0)
      return { ...waits, message: 'waits until all targets are available', blames: 'unhealthy' };
    return { ...waits, message: `all targets are available and have to stay available for ${stableDuration}` };
  },
};
