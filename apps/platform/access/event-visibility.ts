import type { Principal } from '#kit/http';
import type { StoredEvent } from '#kit/storage/outbox';

export interface Permissions {
  allows(
    principal: Principal,
    permission: string,
    resource: { readonly kind: 'workspace' | 'target'; readonly name: string },
  ): boolean;
}

/** Whoever may not read a thing does not learn of it by what happens to it. */
const NEEDED: Readonly<Record<string, string>> = {
  workspace: 'workspaces.read',
  target: 'targets.read',
  grant: 'grants.read',
  permissionSchema: 'permissionSchemas.read',
  issuer: 'issuers.read',
  serviceAccount: 'serviceAccounts.read',
  serviceAccountToken: 'serviceAccountTokens.read',
};

const TARGET = /^targets\/(.+)$/;

/**
 * An event is for those who may read events, and things of its kind, in the workspace that it concerns; an event of a
 * target also for whom just this target was granted to. One of a kind that nobody has thought of is for nobody.
 */
export function mayReadEvent(permissions: Permissions, principal: Principal, event: StoredEvent): boolean {
  const needed = NEEDED[event.type.split('.')[0] ?? ''];
  if (needed === undefined) return false;
  const may = (kind: 'workspace' | 'target', name: string): boolean =>
    ['events.read', needed].every((permission) => permissions.allows(principal, permission, { kind, name }));
  if (may('workspace', placeOf(event))) return true;
  const [, target] = TARGET.exec(event.key) ?? [];
  // That it left a workspace is for those who stay behind.
  return target !== undefined && event.type !== 'target.removed' && may('target', target);
}

/** That a workspace was deleted concerns the one that it was in: it cannot be asked about itself any more. */
function placeOf({ type, data, scope = 'root' }: StoredEvent): string {
  const { parent } = data as { readonly parent?: unknown };
  return type === 'workspace.deleted' && typeof parent === 'string' ? parent : scope;
}
