import { agentProcess } from './agent-deployment.ts';
import type { AgentInstall } from './agent-install.ts';

/**
 * A new version of the agent as what a deployment delivers: its process alone. Rights are not in it, so that an agent never
 * has to be allowed to widen its own; nor what differs from cluster to cluster.
 *
 * Whoever installed it, with kubectl or Helm, holds the field of its image: `force` takes it over.
 */
export function upgradeDocuments(install: Pick<AgentInstall, 'namespace' | 'image'>): readonly object[] {
  const policy = { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', onConflict: 'force' };
  return [policy, agentProcess(install)];
}
