import { groupAndVersion } from './api-paths.ts';
import type { Resource } from './kube-object.ts';

/** Kinds of Kubernetes itself that programs name in their code; others are found with `discovery.resourceFor`. */
export const CORE = {
  namespaces: clusterWide('v1', 'namespaces', 'Namespace'),
  nodes: clusterWide('v1', 'nodes', 'Node'),
  configMaps: namespaced('v1', 'configmaps', 'ConfigMap'),
  secrets: namespaced('v1', 'secrets', 'Secret'),
  pods: namespaced('v1', 'pods', 'Pod'),
  services: namespaced('v1', 'services', 'Service'),
  serviceAccounts: namespaced('v1', 'serviceaccounts', 'ServiceAccount'),
  events: namespaced('v1', 'events', 'Event'),
  deployments: namespaced('apps/v1', 'deployments', 'Deployment'),
  replicaSets: namespaced('apps/v1', 'replicasets', 'ReplicaSet'),
  statefulSets: namespaced('apps/v1', 'statefulsets', 'StatefulSet'),
  daemonSets: namespaced('apps/v1', 'daemonsets', 'DaemonSet'),
  jobs: namespaced('batch/v1', 'jobs', 'Job'),
  leases: namespaced('coordination.k8s.io/v1', 'leases', 'Lease'),
  roles: namespaced('rbac.authorization.k8s.io/v1', 'roles', 'Role'),
  roleBindings: namespaced('rbac.authorization.k8s.io/v1', 'rolebindings', 'RoleBinding'),
  clusterRoles: clusterWide('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole'),
  clusterRoleBindings: clusterWide('rbac.authorization.k8s.io/v1', 'clusterrolebindings', 'ClusterRoleBinding'),
  customResourceDefinitions: clusterWide(
    'apiextensions.k8s.io/v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
  ),
} as const satisfies Record<string, Resource>;

function namespaced(apiVersion: string, plural: string, kind: string): Resource {
  return { ...groupAndVersion(apiVersion), plural, kind, namespaced: true };
}

function clusterWide(apiVersion: string, plural: string, kind: string): Resource {
  return { ...groupAndVersion(apiVersion), plural, kind, namespaced: false };
}
