import { parseDuration } from '#kit/std';
import { durationFaults } from '../../budget/budget.ts';
import type { Gate } from './gate.ts';

export type HealthGate = {
  readonly type: 'health';
  /** For how long all have to be available without a break. */
  readonly stableDuration?: string;
  /** By when; the stable duration and the progress deadline together, unless told. */
  readonly timeout?: string;
};

/**
 * The stage's targets are all available, and have been for a while.
 *
 * DECISION: any moment in which one is not restarts the clock, and fails nothing. What fails is a gate that has not been
 * passed when its time is up; then the stage's `failurePolicy` says what to do. So a target that flaps once costs time,
 * and one that does not come to rest is never taken for healthy, nor waited for without end.
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
      const message = 'the targets did not stay available for long enough in time';
      return { kind: 'no', reason: 'GateUnhealthy', message, isFailure: true };
    }
    const waits = { kind: 'wait', until: Math.min(stableAt, endsAt), unblock: 'targets that stay available' } as const;
    if (health.unhealthy > 0)
      return { ...waits, message: 'waits until all targets are available', blames: 'unhealthy' };
    return { ...waits, message: `all targets are available, and have to stay so for ${stableDuration}` };
  },
};
