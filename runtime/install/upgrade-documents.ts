import { AGENT, AGENT_CONTAINER, type AgentInstall } from './agent-install.ts';

/**
 * A new version of the agent as a delivery: only its image. The agent accepts nothing else in its own namespace, so a
 * deployer can change neither its rights nor what it runs, and the versions of agent and CLI may differ.
 *
 * The field of the image belongs to kubectl or Helm, which installed the agent: `force` takes it over.
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
