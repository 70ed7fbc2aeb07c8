import type { Route } from '../routes/route.ts';
import { toPathPattern } from '../routes/route-path.ts';

/** The methods that exist at a path, for the response to any other. */
export class RouteTable {
  readonly #entries: readonly { readonly pattern: RegExp; readonly method: string }[];

  constructor(routes: readonly Route[]) {
    const operationIds = new Set<string>();
    for (const { operationId } of routes) {
      if (operationIds.has(operationId)) throw new TypeError(`two operations are called ${operationId}`);
      operationIds.add(operationId);
    }
    this.#entries = routes.map(({ path, method }) => ({ pattern: toPathPattern(path), method }));
  }

  methodsAt(path: string): string[] {
    const methods = new Set<string>();
    for (const { pattern, method } of this.#entries) {
      if (!pattern.test(path)) continue;
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    return [...methods].sort();
  }
}
