import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '#kit/std';
import { operationsRoutes } from '../operations/operations-routes.ts';
import { ReadinessCheck } from '../operations/readiness.ts';
import type { Route } from '../routes/route.ts';
import { buildApp } from './build-app.ts';
import { docsRoute } from './docs.ts';
import type { HttpServer, HttpServerDeps, HttpServerOptions, RouteSummary } from './http-server.ts';
import { InFlight } from './in-flight.ts';
import { DEFAULT_LIMITS, type HttpLimits } from './limits.ts';
import { Listeners } from './listeners.ts';
import { Shutdown, shuttingDown } from './shutdown.ts';
import { StrangerConnections } from './stranger-connections.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** Compiles all routes; the server can then listen. A route that contradicts itself or another one fails the start. */
export async function createHttpServer(options: HttpServerOptions, deps: HttpServerDeps): Promise<HttpServer> {
  const limits: HttpLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const inFlight = new InFlight(limits);
  const shutdown = new Shutdown(inFlight);
  const probes = [shutdown.probe, ...deps.probes];
  const readiness = new ReadinessCheck({ probes, timeoutMs: limits.probeMs, log: deps.log });
  const { metrics } = deps;
  const { metricsPermission } = options;
  // The description lists every route including the one that serves it.
  const openapi = (): object => app.openapi();
  const operations = operationsRoutes({ readiness, metrics, metricsPermission, openapi });
  const routes = [...deps.routes, ...operations];
  const strangers = new StrangerConnections(limits.strangersConnections, trustedProxies(options.trustProxy ?? []));
  const app = await buildApp({
    options,
    limits,
    inFlight,
    routes,
    isDraining: () => shutdown.isDraining,
    known: (socket) => strangers.known(socket),
    deps: { clock: systemClock, ...deps },
  });
  const handle = (request: IncomingMessage, response: ServerResponse): void => app.handle(request, response);
  const listeners = new Listeners({ handler: handle, limits, strangers, raw: deps.raw });
  return {
    listen: async (listener) => {
      if (shutdown.isDraining) throw shuttingDown();
      return await listeners.listen(listener);
    },
    routes: () => [...routes, docsRoute].map(summaryOf),
    openapi,
    inject: (request) => app.inject(request),
    close: (deadlineMs) => shutdown.run({ listeners, deadlineMs, release: () => app.close() }),
  };
}

function summaryOf({ method, path, operationId, permission }: Route): RouteSummary {
  return { method, path, operationId, permission };
}
