import type { DeploymentResource } from '#protocol/api';

/** The state of a deployment in one word; in parentheses the reason when it needs a person, or the targets that ail. */
export function deploymentState({ deleteTime, status, reconciling }: DeploymentResource): string {
  const { rollout, blocked, placement, counts } = status;
  if (deleteTime !== undefined) return 'Deleting';
  if (blocked !== undefined) return blocked.reason;
  if (rollout?.phase === 'Paused') return `Paused (${rollout.reason ?? 'PausedByUser'})`;
  const gate = rollout?.waits.find(({ kind }) => kind === 'gate' || kind === 'conflict');
  if (rollout?.phase === 'Running' && gate !== undefined) return `Waiting (${gate.kind})`;
  if (reconciling) return rollout === undefined ? 'Planning' : 'RollingOut';
  if (placement.held.length > 0) return 'RemovalHeld';
  const ailing = AILING.map((count) => [count, counts[count]] as const).filter(([, targets]) => targets > 0);
  const outcome = rollout?.outcome ?? 'NothingToDo';
  return ailing.length === 0
    ? outcome
    : `${outcome} (${ailing.map(([count, targets]) => `${targets} ${count}`).join(', ')})`;
}

/** What became of targets since, worst first. */
const AILING = ['failed', 'degraded', 'drifted', 'offline'] as const;
