import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { Happening } from '../../domain/rollout/machine/happening.ts';
import type { RolloutState } from '../../domain/rollout/machine/rollout-state.ts';

/** What a person set before the rollout began, or while nobody was there to tell it. */
export function steering({ rolloutState }: Deployment, { phase, isStarted }: RolloutState): readonly Happening[] {
  const start: readonly Happening[] = isStarted ? [] : [{ kind: 'started' }];
  if (rolloutState === 'paused' && phase.kind !== 'Paused') {
    return [{ kind: 'pause', by: 'the deployment', message: 'its rolloutState is paused' }, ...start];
  }
  const isPersons = phase.kind === 'Paused' && phase.reason === 'PausedByUser';
  return rolloutState === 'running' && isPersons ? [{ kind: 'resume' }, ...start] : start;
}
