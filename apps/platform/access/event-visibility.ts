import type { Principal } from '#kit/http';
import { uuidv7Time } from '#kit/std';
import type { StoredEvent } from '#kit/storage/outbox';

type Kind = 'workspace' | 'target';

export interface Permissions {
  allows(principal: Principal, permission: string, resource: { readonly kind: Kind; readonly name: string }): boolean;
  /** Of the workspace or target that has the name now. */
  uidOf(name: string, kind?: Kind): string | undefined;
}

/** Whoever may not read a thing does not learn of it by what happens to it. */
const NEEDED: Readonly<Record<string, string>> = {
  workspace: 'workspaces.read',
  target: 'targets.read',
  deployment: 'deployments.read',
  rollout: 'deployments.read',
  delivery: 'deployments.read',
  approval: 'approvals.read',
  grant: 'grants.read',
  permissionSchema: 'permissionSchemas.read',
  issuer: 'issuers.read',
  serviceAccount: 'serviceAccounts.read',
  serviceAccountToken: 'serviceAccountTokens.read',
  bootstrapToken: 'bootstrapTokens.read',
  fleetlet: 'fleetlets.read',
  certificateAuthority: 'certificateAuthority.read',
  indexSchema: 'indexSchemas.read',
};

const TARGET = /^targets\/(.+)$/;

/**
 * An event is for those who may read events, and things of its kind, in the workspace that it concerns; an event of a
 * target also for whom just this target was granted to. One of a kind that nobody has thought of is for nobody.
 */
export function mayReadEvent(permissions: Permissions, principal: Principal, event: StoredEvent): boolean {
  const needed = NEEDED[event.type.split('.')[0] ?? ''];
  if (needed === undefined) return false;
  const may = (kind: Kind, name: string): boolean =>
    ['events.read', needed].every((permission) => permissions.allows(principal, permission, { kind, name }));
  if (may('workspace', placeOf(event, permissions))) return true;
  const [, target] = TARGET.exec(event.key) ?? [];
  // That it left a workspace is for those who stay behind.
  if (target === undefined || event.type === 'target.removed') return false;
  // Another one may have the name by now.
  return permissions.uidOf(target, 'target') === targetUidIn(event.data) && may('target', target);
}

/** The data is the target, or holds it. */
function targetUidIn(data: unknown): unknown {
  const { uid, view, target } = data as {
    readonly uid?: unknown;
    readonly view?: { readonly id?: unknown };
    readonly target?: { readonly uid?: unknown };
  };
  return uid ?? view?.id ?? target?.uid;
}

const ROOT = 'root';

/**
 * The workspace that an event concerns: its own, as long as that is there. A name may belong to another workspace by now,
 * whose readers have no business with the earlier one. What concerns none that is left is for those who see everything.
 */
function placeOf({ type, data, scope = ROOT, time }: StoredEvent, permissions: Permissions): string {
  const uidOf = (name: string): string | undefined => permissions.uidOf(name);
  const isThere = (name: string): boolean => bornBy(uidOf(name), time) || name === ROOT;
  if (!type.startsWith('workspace.')) return isThere(scope) ? scope : ROOT;
  const { uid, parent } = data as { readonly uid?: unknown; readonly parent?: unknown };
  if (uidOf(scope) === uid) return scope;
  return typeof parent === 'string' && isThere(parent) ? parent : ROOT;
}

function bornBy(uid: string | undefined, time: number): boolean {
  return uid !== undefined && uuidv7Time(uid) <= time;
}
