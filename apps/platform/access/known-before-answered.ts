import type { Route } from '#kit/http';
import type { CatchUp, TreeResource } from './catch-up.ts';

const LOCATION = /^\/v1\/(workspace|target)s\/([^/:]+)$/;

/**
 * Read-your-writes for the tree: the index knows a change before its response is sent, so that a new resource is
 * visible to the caller's next request. It loads the current state whatever the request was, so it is safe for any
 * route.
 */
export function knownBeforeAnswered(routes: readonly Route[], catchUp: CatchUp): Route[] {
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
          if (name !== undefined) await catchUp({ kind, name } as TreeResource, request.signal);
          return answer;
        },
      },
    };
  });
}
