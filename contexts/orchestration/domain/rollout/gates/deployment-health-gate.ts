import { parseDuration } from '#kit/std';
import { durationFaults } from '../../budget/budget.ts';
import type { Gate } from './gate.ts';

export type DeploymentHealthGate = {
  readonly type: 'deploymentHealth';
  /** The name of another deployment in the same workspace. */
  readonly deployment: string;
  readonly stableDuration?: string;
  /** Without a timeout the gate waits as long as it takes. */
  readonly timeout?: string;
};

type DeploymentHealthMemory = { readonly healthySince?: number };

/** Waits until another deployment has been healthy for a while. The pipeline reports each change of its health. */
export const deploymentHealthGate: Gate<DeploymentHealthGate, DeploymentHealthMemory> = {
  type: 'deploymentHealth',
  faults: ({ stableDuration, timeout }, at) => [
    ...durationFaults(stableDuration, `${at}/stableDuration`),
    ...durationFaults(timeout, `${at}/timeout`),
  ],
  open: ({ deployment }, { gate }) => ({ memory: {}, asks: [{ kind: 'watchDeployment', gate, deployment }] }),
  hear(memory, answer, { now }) {
    if (answer.kind !== 'deploymentHealth') return memory;
    return answer.isHealthy ? { healthySince: memory.healthySince ?? now } : {};
  },
  judge({ deployment, stableDuration, timeout }, { healthySince }, { openedAt, now }) {
    const stableMs = stableDuration === undefined ? 0 : parseDuration(stableDuration);
    const stableAt = healthySince === undefined ? Infinity : healthySince + stableMs;
    if (now >= stableAt) return { kind: 'go' };
    const endsAt = timeout === undefined ? Infinity : openedAt + parseDuration(timeout);
    if (now >= endsAt) {
      const message = `timeout: the deployment ${deployment} did not stay healthy for long enough`;
      return { kind: 'no', reason: 'GateUnhealthy', message, isFailure: true };
    }
    const until = Math.min(stableAt, endsAt);
    const message =
      healthySince === undefined
        ? `waits until the deployment ${deployment} is healthy`
        : `the deployment ${deployment} is healthy and has to stay healthy for ${stableDuration}`;
    const unblock = `the deployment ${deployment} stays healthy`;
    return { kind: 'wait', message, unblock, ...(until === Infinity ? {} : { until }) };
  },
};
