import { AGENT, AGENT_CONTAINER, type AgentInstall } from './agent-install.ts';

/**
 * A new version of the agent as what a deployment delivers: its image alone. The agent takes nothing else in its own
 * namespace, so that a deployer can change neither its rights nor what it runs, and versions of agent and CLI may differ.
 *
 * kubectl or Helm, by which it was installed, holds the field of its image: `force` takes it over.
 */
export function upgradeDocuments({ namespace, image }: Pick<AgentInstall, 'namespace' | 'image'>): readonly object[] {
  const policy = { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', onConflict: 'force' };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: AGENT, namespace },
    spec: { template: { spec: { containers: [{ name: AGENT_CONTAINER, image }] } } },
  };
  return [policy, deployment];
}
