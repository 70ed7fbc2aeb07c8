import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#kit/std';
import { clientRequestIdOf } from '../client-request-id.ts';
import { HTTP_ERRORS, HttpError } from '../errors/http-error.ts';
import type { HttpLog, OperationInfo, OperationObserver, RequestTracer } from '../ports.ts';
import { Exchange } from './exchange.ts';
import type { InFlight } from './in-flight.ts';
import { openSpan } from './open-span.ts';

export interface ExchangesDeps {
  readonly inFlight: InFlight;
  readonly clock: Clock;
  readonly tracer: RequestTracer | undefined;
  /** Counts requests that match no route. */
  readonly unmatched: OperationObserver | undefined;
  readonly log: HttpLog;
  readonly requestMs: number;
  readonly quietRequests: boolean;
}

/** The operation of a request that matched no route. */
export const NOWHERE: OperationInfo = { operationId: 'unmatched', method: '', path: '' };
const CLIENT_GONE = HTTP_ERRORS.CLIENT_GONE.status;

/** Starts and ends exchanges, and reports each of them once to the log, the metrics and the trace. */
export class Exchanges {
  readonly #deps: ExchangesDeps;
  readonly #byRequest = new WeakMap<FastifyRequest, Exchange>();

  constructor(deps: ExchangesDeps) {
    this.#deps = deps;
  }

  of(request: FastifyRequest): Exchange {
    const exchange = this.#byRequest.get(request);
    if (exchange === undefined) throw new TypeError('the request was never begun');
    return exchange;
  }

  begin(request: FastifyRequest, reply: FastifyReply): Exchange {
    const { inFlight, clock, tracer, requestMs } = this.#deps;
    const { id, method, ip: address } = request;
    const path = pathOf(request.url);
    const exchange = new Exchange({
      id,
      ...clientRequestIdOf(request.headers),
      method,
      path,
      address,
      time: clock.now(),
      cut: () => reply.raw.destroy(),
    });
    this.#byRequest.set(request, exchange);
    exchange.route = request.routeOptions.config.compiled;
    const info = exchange.route?.route ?? { ...NOWHERE, method };
    exchange.span = tracer && openSpan(tracer, info, request.headers);
    this.#observer(exchange)?.started();
    // A client that reads its response too slowly hits the same limit as a handler that does not respond.
    exchange.limitTo(requestMs, () => reply.raw.headersSent && reply.raw.destroy());
    inFlight.add(exchange);
    // `close` without a preceding `finish`: the client disconnected before the end.
    reply.raw.once('finish', () => this.#end(exchange, reply.raw.statusCode));
    reply.raw.once('close', () => this.#end(exchange, CLIENT_GONE));
    return exchange;
  }

  #end(exchange: Exchange, status: number): void {
    if (!this.#deps.inFlight.delete(exchange)) return;
    exchange.end();
    if (status === CLIENT_GONE) exchange.abort(new HttpError('CLIENT_GONE', 'the client went away'));
    this.#observer(exchange)?.ended(status, exchange.durationMs / 1000);
    exchange.span?.end(status, exchange.error);
    this.#tell(exchange, status);
  }

  #observer({ route }: Exchange): OperationObserver | undefined {
    return route ? route.observer : this.#deps.unmatched;
  }

  /**
   * Reads are logged at debug level; changes and refusals are what operators search for later. A person at a terminal is shown
   * only what the server failed at.
   */
  #tell(
    { id, clientRequestId, method, path, address, route, principal, span, durationMs }: Exchange,
    status: number,
  ): void {
    const { log, quietRequests } = this.#deps;
    const operation = route?.route.operationId;
    const caller = clientRequestId === undefined ? {} : { clientRequestId };
    const who = { requestId: id, ...caller, traceId: span?.traceId, principal, remote: address };
    const fields = { ...who, method, path, operation, status, durationMs: Math.round(durationMs * 10) / 10 };
    const isRead = method === 'GET' && status < 400;
    if (route?.route.unlimited || isRead || (quietRequests && status < 500)) log.debug(fields, 'request answered');
    else log.info(fields, 'request answered');
  }
}

/** Without the query, and without the host, which a request in proxy form may contain. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/') ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '');
}
