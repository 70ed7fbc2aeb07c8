import type { Principal } from '#kit/http';
import { uuidv7Time } from '#kit/std';
import type { StoredEvent } from '#kit/storage/outbox';

type Kind = 'workspace' | 'target';

export interface Permissions {
  allows(
    principal: Principal,
    question: { readonly permission: string; readonly resource: { readonly kind: Kind; readonly name: string } },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The uid of the workspace or target that currently has the name. */
  uidOf(name: string, kind?: Kind): string | undefined;
}

/** A caller that may not read a resource must not learn of it through events. */
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
 * An event is visible to callers that may read events, and resources of its kind, in the workspace of the event; an
 * event of a target also to callers with grants on that target alone. Events of an unlisted kind are visible to no
 * caller.
 */
export async function mayReadEvent(
  permissions: Permissions,
  { principal, event }: { readonly principal: Principal; readonly event: StoredEvent },
  signal: AbortSignal,
): Promise<boolean> {
  const needed = NEEDED[event.type.split('.')[0] ?? ''];
  if (needed === undefined) return false;
  const may = async (kind: Kind, name: string): Promise<boolean> => {
    const resource = { kind, name };
    return (
      (await permissions.allows(principal, { permission: 'events.read', resource }, signal)) &&
      (await permissions.allows(principal, { permission: needed, resource }, signal))
    );
  };
  if (await may('workspace', placeOf(event, permissions))) return true;
  const [, target] = TARGET.exec(event.key) ?? [];
  // That a target left a workspace is for the callers of that workspace.
  if (target === undefined || event.type === 'target.removed') return false;
  // Another target may have the name by now.
  return permissions.uidOf(target, 'target') === targetUidIn(event.data) && (await may('target', target));
}

/** The data is the target itself, or contains it. */
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
 * The workspace of an event, as long as it exists. A new workspace may have the name by now; its readers must not see
 * events of the earlier one. Events of a deleted workspace are visible only to callers that see everything.
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
