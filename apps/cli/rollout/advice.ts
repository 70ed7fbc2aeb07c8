import type { DeploymentResource } from '#protocol/api';
import type { Wait } from './rollout-parts.ts';

/** The command that ends the wait, if there is one. */
export function adviceOf({ kind, gate }: Wait, { name, workspace, status }: DeploymentResource): string | undefined {
  const command = (verb: string): string => `fleetshift rollout ${verb} ${name} -w ${workspace}`;
  if (kind === 'resume') return command('resume');
  if (kind === 'conflict') return command('replan');
  const steps = status.rollout?.steps ?? [];
  const isApproval = steps.some((step) => step.gate?.type === 'approval' && step.gate.id === gate);
  return kind === 'gate' && isApproval ? command('approve') : undefined;
}
