import type { AccessIndex } from '#contexts/access';
import { findTargetNode } from '#contexts/targets/adapters';
import { findWorkspaceNode } from '#contexts/workspaces/adapters';
import type { Route } from '#kit/http';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { targetIs, workspaceIs } from './tree-changes.ts';

export interface KnownBeforeAnsweredDeps {
  readonly storage: Storage;
  readonly index: AccessIndex;
  readonly log: Logger;
}

type Kind = 'workspace' | 'target';

const LOCATION = /^\/v1\/(workspace|target)s\/([^/:]+)$/;

/**
 * Changes of the tree are in the index before whoever made them hears of it: what he just created is there for his next
 * request. It looks at what is there now, whatever the request was, so that it may be asked about anything.
 */
export function knownBeforeAnswered(routes: readonly Route[], deps: KnownBeforeAnsweredDeps): Route[] {
  return routes.map((route) => {
    const { respond } = route;
    if (route.method === 'GET' || respond.kind === 'stream') return route;
    return {
      ...route,
      respond: {
        kind: 'answer',
        handle: async (request) => {
          const answer = await respond.handle(request);
          const { workspace, target } = request.params as Readonly<Record<string, string>>;
          const made = LOCATION.exec(answer.headers?.['location'] ?? '');
          const [kind, name] = target
            ? ['target', target]
            : workspace
              ? ['workspace', workspace]
              : (made ?? []).slice(1);
          if (name !== undefined) await learn({ kind: kind as Kind, name }, deps, request.signal);
          return answer;
        },
      },
    };
  });
}

async function learn(
  resource: { readonly kind: Kind; readonly name: string },
  { storage, index, log }: KnownBeforeAnsweredDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    const change = await storage.read(async (reader) => {
      if (resource.kind === 'target') {
        const node = await findTargetNode(reader, resource.name);
        return node && targetIs(node);
      }
      const node = await findWorkspaceNode(reader, resource.name);
      return node && workspaceIs(node);
    }, signal);
    if (change !== undefined) return index.apply(change);
    const [gone] = index.lineageOf(resource);
    if (gone !== undefined) index.apply({ kind: `${resource.kind}Deleted`, uid: gone.uid });
  } catch (err) {
    // The change is committed, and the event log brings it round in a moment.
    log.warn({ err, name: resource.name }, 'the access index learns of a change a little later');
  }
}
