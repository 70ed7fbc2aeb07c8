import type {} from 'fastify';
import type { OperationObserver } from '../ports.ts';
import type { Route } from '../routes/route.ts';

/** A route with everything about it that can be worked out at start. */
export interface CompiledRoute {
  readonly route: Route;
  readonly observer: OperationObserver | undefined;
  /** By status: what is wrong with a body. Only when answers are verified. */
  readonly verifiers: ReadonlyMap<number, (body: unknown) => string | undefined> | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    compiled?: CompiledRoute;
  }
}
