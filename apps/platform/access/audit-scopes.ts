import type { AccessIndex } from '#contexts/access';
import { fleetletPath } from '#contexts/enrolment/adapters';
import type { AuditScopes } from '#contexts/governance/adapters';
import { findTargetNode } from '#contexts/targets/adapters';
import { findWorkspaceNode } from '#contexts/workspaces/adapters';
import { uuidv7Time } from '#kit/std';
import type { Reader } from '#kit/storage';

const FLEETLET = /^\/v1\/fleetlets\/([^/:]+)/;
const NAMED = /^\/v1\/(workspace|target)s\/([^/:]+)/;

/** The workspace path of an audit entry, so that administrators of a subtree see what happened there. */
export function auditScopes(index: AccessIndex): AuditScopes {
  return {
    scopeOf: async ({ resource }, tx) => {
      const [, fleetlet] = FLEETLET.exec(resource) ?? [];
      // Unknown for a deleted fleetlet: only callers that see everything may read the entry.
      if (fleetlet !== undefined) return tx && (await fleetletPath(tx, fleetlet));
      const [, kind, name] = NAMED.exec(resource) ?? [];
      if (kind === undefined || name === undefined) return undefined;
      const ref = { kind: kind as 'workspace' | 'target', name };
      return (tx && (await inTransaction(tx, ref))) ?? pathOf(index, ref);
    },
  };
}

/** `/root/emea/web/` for a workspace, or for the workspace of a target. */
export function pathOf(
  index: AccessIndex,
  resource: { readonly kind: 'workspace' | 'target'; readonly name: string },
): string | undefined {
  const lineage = index.lineageOf(resource).filter(({ kind }) => kind === 'workspace');
  if (lineage.at(-1)?.parent !== undefined || lineage.length === 0) return undefined;
  return `/${lineage
    .map(({ name }) => name)
    .toReversed()
    .join('/')}/`;
}

/** When the current bearer of the name was created. */
export function bornAt(
  index: AccessIndex,
  resource: { readonly kind: 'workspace' | 'target'; readonly name: string },
): number | undefined {
  const uid = index.lineageOf(resource)[0]?.uid;
  return uid === undefined ? undefined : uuidv7Time(uid);
}

async function inTransaction(
  tx: Reader,
  { kind, name }: { readonly kind: 'workspace' | 'target'; readonly name: string },
): Promise<string | undefined> {
  const node = kind === 'target' ? await findTargetNode(tx, name) : await findWorkspaceNode(tx, name);
  return node?.path;
}
