import type { Deployment, DeploymentId } from '../domain/deployment/deployment.ts';
import type { Trigger } from '../domain/deployment/trigger.ts';
import type { RolloutEvent } from '../domain/rollout/machine/rollout-event.ts';
import type { RolloutKey, UnitOfWork } from './ports.ts';

// Everything that starts or continues the pipeline of a deployment. The reason is stored and the pipeline woken in the
// caller's transaction, so that neither exists without the other; the workflow starts after the commit.

/** Asks for a plan, for these reasons. */
export async function requestPlan(
  { triggers: store, deployments }: Pick<UnitOfWork, 'triggers' | 'deployments'>,
  deployment: DeploymentId,
  { triggers, now }: { readonly triggers: readonly Trigger[]; readonly now: number },
  signal: AbortSignal,
): Promise<void> {
  if (triggers.length === 0) return;
  await store.add(deployment, triggers, now, signal);
  await deployments.wake(deployment, signal);
}

/** Gives a rollout events for its next turn. */
export async function postToRollout(
  { rollouts, deployments }: Pick<UnitOfWork, 'rollouts' | 'deployments'>,
  rollout: RolloutKey,
  events: readonly RolloutEvent[],
  signal: AbortSignal,
): Promise<void> {
  await rollouts.post(rollout, events, signal);
  await deployments.wake(rollout.deployment, signal);
}

/** Passes a pause or resume on to the rollout under way, if there is one. */
export async function postRolloutState(
  unit: Pick<UnitOfWork, 'rollouts' | 'deployments'>,
  { uid: deployment, rollout: revision, rolloutState }: Deployment,
  by: string,
  signal: AbortSignal,
): Promise<void> {
  if (revision === undefined) return;
  const event: RolloutEvent = rolloutState === 'paused' ? { kind: 'pause', by, message: '' } : { kind: 'resume' };
  await postToRollout(unit, { deployment, revision }, [event], signal);
}
