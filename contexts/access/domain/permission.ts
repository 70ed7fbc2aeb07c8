import { onlyRole, type Role, type RoleSet } from './role.ts';

/** The scope of a permission: a workspace and its contents, targets, or the whole instance. */
export type PermissionReach = 'workspace' | 'target' | 'instance';

interface BuiltIn {
  readonly reach: PermissionReach;
  /** The least role that has it; roles that imply this one have it too. */
  readonly role: Role;
}

const viewer = (reach: PermissionReach): BuiltIn => ({ reach, role: 'viewer' });
const deployer = (reach: PermissionReach): BuiltIn => ({ reach, role: 'deployer' });
const approver = (reach: PermissionReach): BuiltIn => ({ reach, role: 'approver' });
const admin = (reach: PermissionReach): BuiltIn => ({ reach, role: 'admin' });

/**
 * Every permission that a route can require, and the least role that has it. The list is closed: a permission that is
 * not listed is always denied.
 *
 * DECISION: a deployer may not approve, nor an approver deploy, so that a four-eyes gate means something; and neither
 * may place on the platform itself, or abandon a deployment that is still on targets.
 *
 * DECISION: built-in permissions have a dot in their names, those of addons cannot, so that no release can take a name
 * that an addon uses. (ADR-0024)
 */
export const PERMISSIONS = {
  'workspaces.read': viewer('workspace'),
  'workspaces.create': admin('workspace'),
  'workspaces.update': admin('workspace'),
  'workspaces.move': admin('workspace'),
  'workspaces.setPolicy': admin('workspace'),
  'workspaces.delete': admin('workspace'),
  'targets.read': viewer('target'),
  'targets.create': admin('workspace'),
  'targets.update': admin('target'),
  'targets.assign': admin('target'),
  'targets.cordon': admin('target'),
  'targets.merge': admin('target'),
  'targets.reidentify': admin('target'),
  'targets.delete': admin('target'),
  'targets.proxyRead': { reach: 'target', role: 'cluster-viewer' },
  'targets.proxyWrite': { reach: 'target', role: 'cluster-editor' },
  'targets.proxyAdmin': admin('target'),
  'kubeconfigs.read': viewer('target'),
  'kubeconfigs.update': admin('target'),
  'kubeconfigs.delete': admin('target'),
  'index.read': viewer('target'),
  'indexSchemas.read': viewer('workspace'),
  'indexSchemas.update': admin('workspace'),
  'scores.read': viewer('target'),
  'scores.report': admin('target'),
  'deployments.read': viewer('workspace'),
  'deployments.create': deployer('workspace'),
  'deployments.update': deployer('workspace'),
  'deployments.delete': deployer('workspace'),
  'deployments.steer': deployer('workspace'),
  'deployments.preview': deployer('workspace'),
  'deployments.placeLocal': admin('workspace'),
  'deployments.abandon': admin('workspace'),
  'deployments.acceptRevision': admin('workspace'),
  'approvals.read': viewer('workspace'),
  'approvals.answer': approver('workspace'),
  'approvals.override': admin('instance'),
  'grants.read': admin('workspace'),
  'grants.create': admin('workspace'),
  'grants.delete': admin('workspace'),
  'access.check': admin('workspace'),
  'access.lookup': admin('workspace'),
  'access.explain': admin('workspace'),
  'serviceAccounts.read': admin('workspace'),
  'serviceAccounts.create': admin('workspace'),
  'serviceAccounts.update': admin('workspace'),
  'serviceAccounts.delete': admin('workspace'),
  'serviceAccountTokens.read': admin('workspace'),
  'serviceAccountTokens.create': admin('workspace'),
  'serviceAccountTokens.delete': admin('workspace'),
  'tokens.createAny': admin('instance'),
  'bootstrapTokens.read': admin('workspace'),
  'bootstrapTokens.create': admin('workspace'),
  'bootstrapTokens.delete': admin('workspace'),
  'fleetlets.read': viewer('workspace'),
  'fleetlets.bind': admin('workspace'),
  'fleetlets.revoke': admin('workspace'),
  'fleetlets.delete': admin('workspace'),
  'events.read': viewer('workspace'),
  'usage.read': viewer('workspace'),
  'audit.read': admin('workspace'),
  'permissionSchemas.read': admin('instance'),
  'permissionSchemas.update': admin('instance'),
  'issuers.read': admin('instance'),
  'issuers.create': admin('instance'),
  'issuers.update': admin('instance'),
  'issuers.delete': admin('instance'),
  'targets.passthrough': admin('instance'),
  'certificateAuthority.read': admin('instance'),
  'certificateAuthority.rotate': admin('instance'),
  'sessions.read': admin('instance'),
  'sessions.delete': admin('instance'),
  'deadLetters.read': admin('instance'),
  'deadLetters.steer': admin('instance'),
  'replicas.read': admin('instance'),
  'instance.read': admin('instance'),
  'instance.acceptRestore': admin('instance'),
  'workflows.read': admin('instance'),
  'workflows.steer': admin('instance'),
  'metrics.read': admin('instance'),
} as const satisfies Readonly<Record<string, BuiltIn>>;

export type PermissionName = keyof typeof PERMISSIONS;

/** The requirements of a permission, built-in or of an addon. */
export interface PermissionRule {
  readonly reach: PermissionReach;
  /** Any one of these suffices. */
  readonly roles: RoleSet;
}

const RULES: ReadonlyMap<string, PermissionRule> = new Map(
  Object.entries(PERMISSIONS).map(([name, { reach, role }]) => [name, { reach, roles: onlyRole(role) }]),
);

export function builtInRule(permission: string): PermissionRule | undefined {
  return RULES.get(permission);
}
