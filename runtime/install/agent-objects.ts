import { agentDeployment, apiUsersOf } from './agent-deployment.ts';
import {
  AGENT,
  type AgentInstall,
  AUTHORITY,
  AUTHORITY_FILE,
  BOOTSTRAP_SECRET,
  type InstalledObject,
  LABELS,
  SELECTED,
} from './agent-install.ts';
import { agentRbac } from './agent-rbac.ts';

/**
 * All objects that make a cluster a target, in an order in which they can be applied. The chart has the same objects as
 * templates, and a test compares the two for every kind of install.
 */
export function agentObjects(install: AgentInstall): readonly InstalledObject[] {
  return [
    namespaceOf(install),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: named(install) },
    ...agentRbac(install),
    settingsOf(install),
    ...authorityOf(install),
    ...bootstrapOf(install),
    ...networkPolicyOf(install),
    agentDeployment(install),
  ];
}

function named({ namespace }: AgentInstall, name: string = AGENT) {
  return { name, namespace, labels: LABELS };
}

function namespaceOf({ namespace }: AgentInstall): InstalledObject {
  const labels = { ...LABELS, 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

/**
 * DECISION: settings that differ between clusters are in a ConfigMap, as variables of the agent. So the Deployment is
 * the same everywhere, and a new version can be delivered to the whole fleet as one document.
 */
function settingsOf(install: AgentInstall): InstalledObject {
  const { platform, target, authority, image } = install;
  const data = {
    FLEETSHIFT_PLATFORM: platform,
    FLEETSHIFT_AGENT_IMAGE: repositoryOf(image),
    FLEETSHIFT_API_PROXY_USERS: apiUsersOf(install),
    ...(target === undefined ? {} : { FLEETSHIFT_TARGET: `${target}=kubernetes` }),
    ...(isPlain(platform) ? { FLEETSHIFT_INSECURE: 'true' } : {}),
    ...(authority === undefined ? {} : { FLEETSHIFT_CA_FILE: AUTHORITY_FILE }),
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: named(install), data };
}

/** The image without tag and digest: the repository of which a deployment may roll out another version. */
function repositoryOf(image: string): string {
  const [named = ''] = image.split('@', 1);
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? named.slice(0, colon) : named;
}

/** Only works if platform and agent are on one machine. */
function isPlain(platform: string): boolean {
  return platform.startsWith('http:');
}

function authorityOf(install: AgentInstall): readonly InstalledObject[] {
  if (install.authority === undefined) return [];
  const metadata = named(install, AUTHORITY);
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': install.authority } }];
}

function bootstrapOf(install: AgentInstall): readonly InstalledObject[] {
  if (install.token === undefined) return [];
  const metadata = named(install, BOOTSTRAP_SECRET);
  return [{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: install.token } }];
}

function networkPolicyOf(install: AgentInstall): readonly InstalledObject[] {
  if (!install.networkPolicy) return [];
  const spec = { podSelector: { matchLabels: SELECTED }, policyTypes: ['Ingress'] };
  return [{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: named(install), spec }];
}
