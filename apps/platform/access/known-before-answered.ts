import type { Route } from '#kit/http';
import type { CatchUp, TreeResource } from './catch-up.ts';

const LOCATION = /^\/v1\/(workspace|target)s\/([^/:]+)$/;

/**
 * Changes of the tree are in the index before whoever made them hears of it: what he just created is there for his next
 * request. It looks at what is there now, whatever the request was, so that it may be asked about anything.
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
