import { parseDuration } from '#kit/std';
import { durationFaults } from '../../budget/budget.ts';
import type { Gate } from './gate.ts';

export type WaitGate = { readonly type: 'wait'; readonly duration: string };

/** A fixed waiting time. It keeps running while the rollout is paused. */
export const waitGate: Gate<WaitGate, Record<string, never>> = {
  type: 'wait',
  faults: ({ duration }, at) => durationFaults(duration, `${at}/duration`),
  open: () => ({ memory: {}, asks: [] }),
  judge({ duration }, _, { openedAt, now }) {
    const until = openedAt + parseDuration(duration);
    if (now >= until) return { kind: 'go' };
    return { kind: 'wait', until, message: `waits for ${duration}`, unblock: 'it continues by itself' };
  },
};
