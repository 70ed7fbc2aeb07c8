import type { DeploymentResource } from '#protocol/api';

/** The state of a deployment in one word, with the reason in parentheses when it needs a person. */
export function deploymentState({ deleteTime, status, reconciling }: DeploymentResource): string {
  const { rollout, blocked, placement } = status;
  if (deleteTime !== undefined) return 'Deleting';
  if (blocked !== undefined) return blocked.reason;
  if (rollout?.phase === 'Paused') return `Paused (${rollout.reason ?? 'PausedByUser'})`;
  const gate = rollout?.waits.find(({ kind }) => kind === 'gate' || kind === 'conflict');
  if (rollout?.phase === 'Running' && gate !== undefined) return `Waiting (${gate.kind})`;
  if (reconciling) return rollout === undefined ? 'Planning' : 'RollingOut';
  if (placement.held.length > 0) return 'RemovalHeld';
  return rollout?.outcome ?? 'NothingToDo';
}
