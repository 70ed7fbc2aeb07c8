import type { Deployment } from '../domain/deployment/deployment.ts';
import type { UnitOfWork } from './ports.ts';

/** Notifies the rollout under way, if there is one, of a pause or resume. */
export async function tellRolloutState(
  { rollouts, deployments }: Pick<UnitOfWork, 'rollouts' | 'deployments'>,
  { uid, rollout, rolloutState }: Deployment,
  by: string,
  signal: AbortSignal,
): Promise<void> {
  if (rollout === undefined) return;
  const told =
    rolloutState === 'paused' ? ({ kind: 'pause', by, message: '' } as const) : ({ kind: 'resume' } as const);
  await rollouts.post({ deployment: uid, revision: rollout }, [told], signal);
  await deployments.wake(uid, signal);
}
