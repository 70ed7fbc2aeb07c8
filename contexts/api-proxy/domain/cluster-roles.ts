import { PROXY_ROLES, type ProxyRole, roleGroup } from './proxy-identity.ts';

/** Kubernetes' own roles for people; whoever wants others binds the groups of roles to them. */
const CLUSTER_ROLE: Readonly<Record<ProxyRole, string>> = { viewer: 'view', deployer: 'edit', admin: 'cluster-admin' };

export interface ClusterRoleBinding {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRoleBinding';
  readonly metadata: { readonly name: string };
  readonly roleRef: { readonly apiGroup: string; readonly kind: 'ClusterRole'; readonly name: string };
  readonly subjects: readonly { readonly apiGroup: string; readonly kind: 'Group'; readonly name: string }[];
}

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What makes the roles of the platform mean something in a cluster. */
export function roleBindings(): readonly ClusterRoleBinding[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  return PROXY_ROLES.map((role) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `fleetshift-${role}` },
    roleRef: { apiGroup, kind: 'ClusterRole', name: CLUSTER_ROLE[role] },
    subjects: [{ apiGroup, kind: 'Group', name: roleGroup(role) }],
  }));
}

/**
 * What an agent needs to hand requests on, and no more. RBAC cannot say "users that begin with fleetshift:"; that the agent
 * names no others is its own doing. Groups can be named, and `system:masters` is none of them.
 */
export function impersonatorRules(): readonly PolicyRule[] {
  return [
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['groups'], resourceNames: PROXY_ROLES.map(roleGroup), verbs: ['impersonate'] },
  ];
}
