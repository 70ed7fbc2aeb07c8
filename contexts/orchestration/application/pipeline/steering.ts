import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';

/** Applies `rolloutState` if the user set it before the rollout began, or when the rollout was not notified. */
export function steering({ rolloutState }: Deployment, { phase, isStarted }: RolloutState): readonly Happening[] {
  const start: readonly Happening[] = isStarted ? [] : [{ kind: 'started' }];
  if (rolloutState === 'paused' && phase.kind !== 'Paused') {
    return [{ kind: 'pause', by: 'the deployment', message: 'its rolloutState is paused' }, ...start];
  }
  const isPersons = phase.kind === 'Paused' && phase.reason === 'PausedByUser';
  return rolloutState === 'running' && isPersons ? [{ kind: 'resume' }, ...start] : start;
}
