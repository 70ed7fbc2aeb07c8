import { impersonatorRules, type RoleBinding, roleBindings, roleBindingsWithin } from '#contexts/api-proxy';
import { AGENT, type AgentInstall, type AllowedKind, type InstalledObject, LABELS } from './agent-install.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = `${RBAC}/v1`;

/** A ClusterRole with this label adds its rules to what the agent may deliver. */
const AGGREGATED = { 'fleetshift.io/aggregate-to-agent': 'true' };

const READ = ['get', 'list', 'watch'];
/** To apply, to prune, and to watch health. */
const DELIVER = [...READ, 'create', 'patch', 'delete'];

/** The kinds that the role `edit` lets users deliver, and namespaces; nothing that runs commands or impersonates. */
const USUAL: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ['', ['configmaps', 'namespaces', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'secrets']],
  ['', ['serviceaccounts', 'services']],
  ['apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets']],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['batch', ['cronjobs', 'jobs']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies']],
  ['policy', ['poddisruptionbudgets']],
];

/** In addition to the role `view`: no Secrets. */
const SEEN: readonly (readonly [group: string, resources: readonly string[]])[] = [
  ['', ['events', 'nodes', 'persistentvolumes']],
  ['apiextensions.k8s.io', ['customresourcedefinitions']],
  ['apiregistration.k8s.io', ['apiservices']],
  ['storage.k8s.io', ['storageclasses']],
];

/** The agent's rights: only what it needs for the requested features. */
export function agentRbac(install: AgentInstall): readonly InstalledObject[] {
  return [...ownHouse(install), ...sight(install), ...delivery(install), ...apiProxy(install)];
}

/**
 * Inventories, orders and the agent's identity are Secrets in its own namespace. It also upgrades its own Deployment.
 */
function ownHouse({ namespace }: AgentInstall): readonly InstalledObject[] {
  const rules: readonly Rule[] = [
    { apiGroups: [''], resources: ['secrets'], verbs: [...DELIVER, 'update'] },
    { apiGroups: ['apps'], resources: ['deployments'], resourceNames: [AGENT], verbs: ['patch'] },
  ];
  const metadata = { name: AGENT, namespace, labels: LABELS };
  return [
    { apiVersion: API_VERSION, kind: 'Role', metadata, rules },
    { ...binding('Role', AGENT, namespace), kind: 'RoleBinding', metadata },
  ];
}

function sight({ namespace }: AgentInstall): readonly InstalledObject[] {
  const name = `${AGENT}-read`;
  const rules = SEEN.map(([group, resources]) => ({ apiGroups: [group], resources, verbs: READ }));
  return [
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name, labels: LABELS }, rules },
    clusterBinding(name, name, namespace),
    clusterBinding(`${AGENT}-view`, 'view', namespace),
  ];
}

function delivery(install: AgentInstall): readonly InstalledObject[] {
  const { namespace, namespaces, rbac } = install;
  const [more, kinds] = [`${AGENT}-deliver`, `${AGENT}-kinds`];
  if (rbac === 'cluster-admin') return [clusterBinding(more, 'cluster-admin', namespace)];
  const roles = deliveryRoles({ more, kinds }, install);
  const names = [more, kinds];
  if (rbac === 'restricted') return [...roles, ...names.map((name) => clusterBinding(name, name, namespace))];
  const there = namespaces.flatMap((each) =>
    names.map((name) => ({
      ...binding('ClusterRole', name, namespace),
      kind: 'RoleBinding',
      metadata: { name, namespace: each, labels: LABELS },
    })),
  );
  return [...roles, ...there];
}

/**
 * The kinds that may be delivered, and an aggregating role for what others add. None of ours has the label: if parts are
 * deleted together with their aggregate, Kubernetes' controller may create it once more.
 */
function deliveryRoles(
  { more, kinds }: { readonly more: string; readonly kinds: string },
  { allow }: AgentInstall,
): readonly InstalledObject[] {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: AGGREGATED }] };
  const rules = allow.length > 0 ? allowedRules(allow) : usualRules();
  return [
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name: more, labels: LABELS }, aggregationRule },
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name: kinds, labels: LABELS }, rules },
  ];
}

function usualRules(): readonly Rule[] {
  return [...Map.groupBy(USUAL, ([group]) => group)].map(([group, entries]) => ({
    apiGroups: [group],
    resources: entries.flatMap(([, resources]) => resources),
    verbs: DELIVER,
  }));
}

function allowedRules(allow: readonly AllowedKind[]): readonly Rule[] {
  return allow.map(({ group, resource }) => ({ apiGroups: [group], resources: [resource], verbs: DELIVER }));
}

/**
 * Callers through the platform act with the rights of their role in this cluster.
 *
 * DECISION: an agent that may impersonate callers has their rights. So without `cluster-admin` callers share one user,
 * and cluster-editors and admins have rights only in the given namespaces, never in the agent's own. (ADR-0043)
 */
function apiProxy(install: AgentInstall): readonly InstalledObject[] {
  const { namespace, namespaces, rbac, apiProxyUsers } = install;
  if (!install.apiProxy) return [];
  if (rbac === 'cluster-admin') return roleBindings().map(labelled);
  const name = `${AGENT}-impersonate`;
  const rules = impersonatorRules(apiProxyUsers);
  const viewers = rbac === 'restricted' ? 'everywhere' : 'there';
  return [
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name, labels: LABELS }, rules },
    clusterBinding(name, name, namespace),
    ...roleBindingsWithin(namespaces, { viewers }).map(labelled),
  ];
}

function labelled(binding: RoleBinding): InstalledObject {
  return { ...binding, metadata: { ...binding.metadata, labels: LABELS } };
}

function clusterBinding(name: string, role: string, namespace: string): InstalledObject {
  const metadata = { name, labels: LABELS };
  return { ...binding('ClusterRole', role, namespace), kind: 'ClusterRoleBinding', metadata };
}

/** The common part of any binding of the agent's account. */
function binding(kind: 'Role' | 'ClusterRole', name: string, namespace: string) {
  return {
    apiVersion: API_VERSION,
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: 'ServiceAccount', name: AGENT, namespace }],
  };
}
