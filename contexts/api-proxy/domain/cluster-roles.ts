import { PROXY_ROLES, type ProxyRole, roleGroup, SHARED_CALLER, USER_EXTRA, userNamed } from './proxy-identity.ts';

/** The default ClusterRoles of Kubernetes; a cluster may bind the role groups to others. */
const CLUSTER_ROLE: Readonly<Record<ProxyRole, string>> = { viewer: 'view', deployer: 'edit', admin: 'cluster-admin' };
const RBAC = 'rbac.authorization.k8s.io';

export interface RoleBinding {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRoleBinding' | 'RoleBinding';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef: { readonly apiGroup: string; readonly kind: 'ClusterRole'; readonly name: string };
  readonly subjects: readonly { readonly apiGroup: string; readonly kind: 'Group'; readonly name: string }[];
}

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Bindings of the platform's roles in a cluster whose agent is `cluster-admin`. */
export function roleBindings(): readonly RoleBinding[] {
  return PROXY_ROLES.map((role) => bound(role, CLUSTER_ROLE[role]));
}

/**
 * Bindings of the platform's roles in a cluster whose agent is less than `cluster-admin`. Deployers and admins get `edit`
 * and `admin` in these namespaces only: both can read Secrets and run Pods under any account, so with wider bindings they
 * could take over the rights of the agent itself.
 */
export function roleBindingsWithin(
  namespaces: readonly string[],
  { viewers }: { readonly viewers: 'everywhere' | 'there' },
): readonly RoleBinding[] {
  const within = namespaces.flatMap((namespace) => [
    ...(viewers === 'there' ? [bound('viewer', 'view', namespace)] : []),
    bound('deployer', 'edit', namespace),
    bound('admin', 'admin', namespace),
  ]);
  return viewers === 'everywhere' ? [bound('viewer', 'view'), ...within] : within;
}

/**
 * The rights that an agent needs to impersonate callers, each by name. RBAC has no prefixes, so people share one user
 * and are distinguished by an extra field, which no RBAC rule can grant anything to; `users` (`user:alice`) are
 * impersonated as themselves. (ADR-0043)
 */
export function impersonatorRules(users: readonly string[] = []): readonly PolicyRule[] {
  const verbs = ['impersonate'];
  return [
    { apiGroups: [''], resources: ['users'], resourceNames: [SHARED_CALLER, ...users.map(userNamed)], verbs },
    { apiGroups: [''], resources: ['groups'], resourceNames: PROXY_ROLES.map(roleGroup), verbs },
    { apiGroups: ['authentication.k8s.io'], resources: [`userextras/${USER_EXTRA}`], verbs },
  ];
}

function bound(role: ProxyRole, clusterRole: string, namespace?: string): RoleBinding {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name: `fleetshift-${role}`, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: roleGroup(role) }],
  };
}
