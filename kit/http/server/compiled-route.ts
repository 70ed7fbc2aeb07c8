import type {} from 'fastify';
import type { OperationObserver } from '../ports.ts';
import type { Route } from '../routes/route.ts';

/** A route with everything that can be computed at startup. */
export interface CompiledRoute {
  readonly route: Route;
  readonly observer: OperationObserver | undefined;
  /** By status: returns the fault of a body. Only set if responses are verified. */
  readonly verifiers: ReadonlyMap<number, (body: unknown) => string | undefined> | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    compiled?: CompiledRoute;
  }
}
