import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../errors/http-error.ts';
import { noneMatchHits } from '../etag.ts';
import type { AuditSink, Authenticator, Authorizer, HttpLog } from '../ports.ts';
import type { Answer } from '../routes/answer.ts';
import type { AnyRequest } from '../routes/route.ts';
import { RouteRequest } from '../routes/route-request.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { credentialsOf } from './admission.ts';
import type { CompiledRoute } from './compiled-route.ts';
import type { Exchange } from './exchange.ts';
import type { InFlight } from './in-flight.ts';
import type { HttpLimits } from './limits.ts';
import { streamReply } from './stream-reply.ts';

export interface AnswerDeps {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly inFlight: InFlight;
  readonly limits: HttpLimits;
  readonly log: HttpLog;
  readonly audit: AuditSink | undefined;
  readonly streams: OpenStreams | undefined;
}

interface Served {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly exchange: Exchange;
  readonly compiled: CompiledRoute;
}

/** Runs the operation for an admitted and valid request, and sends its response. */
export async function answerRoute(served: Served, deps: AnswerDeps): Promise<unknown> {
  const { reply, exchange, compiled } = served;
  const { route } = compiled;
  const request = routeRequest(served, deps);
  const { respond } = route;
  if (respond.kind === 'stream') {
    reserveStream(exchange, deps);
    const stream = await exchange.within(() => respond.open(request));
    const ended = new AbortController();
    const forget = await register(served, deps, ended);
    try {
      const { log, limits } = deps;
      await streamReply(stream, { exchange, reply, ended: ended.signal }, { log, stallMs: limits.streamStallMs });
    } finally {
      forget?.();
    }
    return reply;
  }
  const answer = await exchange.within(() => respond.handle(request));
  // Streams that the change revoked are closed before the caller gets the response.
  if (route.method !== 'GET') await deps.streams?.settled();
  checkAnswer(answer, request, compiled);
  return send(answer, served);
}

function routeRequest({ request, exchange, compiled }: Served, deps: AnswerDeps): AnyRequest {
  const { authenticator, authorizer, audit } = deps;
  const { route } = compiled;
  const { operationId, idempotency } = route;
  const { id, principal, signal, time, path, address } = exchange;
  const { dryRun = false, ...query } = request.query as { readonly dryRun?: boolean };
  return new RouteRequest({
    id,
    operationId,
    principal,
    signal,
    time,
    path,
    address,
    dryRun,
    query,
    idempotency,
    params: route.schema.params ? request.params : {},
    body: request.body ?? undefined,
    method: route.method,
    headers: request.headers,
    audit,
    // The handler names the resource itself, so the permission is always checked on it.
    allows: async (permission, params) =>
      principal !== undefined &&
      (await authorizer.allow({ principal, permission, operationId, params, reach: 'path' }, signal)),
    isStillKnown: async (stop) => {
      const now = await authenticator.authenticate(credentialsOf(request), stop);
      return now?.kind === principal?.kind && now?.id === principal?.id;
    },
  });
}

/** A public stream has no principal and cannot be revoked. */
async function register(
  { request, exchange, compiled }: Served,
  { streams, authorizer }: AnswerDeps,
  ended: AbortController,
): Promise<(() => void) | undefined> {
  const { principal } = exchange;
  const { permission, operationId, reach = 'path' } = compiled.route;
  if (principal === undefined) return undefined;
  const params = { ...(request.params as Readonly<Record<string, string>>) };
  return await streams?.add({
    kind: operationId,
    credentials: credentialsOf(request),
    principal,
    isAllowed: (now, signal) => authorizer.allow({ principal: now, permission, operationId, params, reach }, signal),
    end: (why) => ended.abort(why),
  });
}

function reserveStream(exchange: Exchange, { inFlight, limits }: AnswerDeps): void {
  const { principal } = exchange;
  if (inFlight.streams >= limits.streams) {
    throw new HttpError('OVERLOADED', `The server already has ${limits.streams} open streams. Try again later.`);
  }
  if (principal && inFlight.streamsOf(`${principal.kind}:${principal.id}`) >= limits.streamsPerPrincipal) {
    throw new HttpError(
      'RATE_LIMITED',
      `You have ${limits.streamsPerPrincipal} streams open. Close one, or share one between your readers.`,
    );
  }
  inFlight.becomeStream(exchange);
}

/** Detects handlers that violate the declarations of their route. */
function checkAnswer(answer: Answer, request: AnyRequest, { route, verifiers }: CompiledRoute): void {
  const ignored = request.ignoredWishes;
  if (ignored.length > 0 && answer.status < 300) {
    throw new TypeError(`${route.operationId} ignored ${ignored.join(', ')}; write through mutate and check If-Match`);
  }
  if (verifiers === undefined) return;
  if (route.method !== 'GET' && !route.readOnly && answer.status < 300 && !request.isAudited) {
    throw new TypeError(
      `${route.operationId} changed something unaudited; write through mutate, or recordAttempt first`,
    );
  }
  const verify = verifiers.get(answer.status);
  const fault = verify ? verify(asJson(answer.body)) : 'a status that it does not declare';
  if (fault) throw new TypeError(`${route.operationId} answered ${answer.status} outside its schema: ${fault}`);
}

/** As sent over the wire, where undefined fields are absent. */
function asJson(body: unknown): unknown {
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

function send(answer: Answer, { request, reply, compiled }: Served): unknown {
  const etag = compiled.route.etag && answer.status < 300 ? etagIn(answer.body) : undefined;
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (etag !== undefined) reply.header('etag', `"${etag}"`);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (etag !== undefined && isRead && noneMatchHits(request.headers['if-none-match'], etag)) {
    return reply.code(304).send();
  }
  if (answer.status === 204 || answer.body === null) return reply.send();
  // Fastify treats a string as already serialized; here it is a value like any other.
  const isJson = answer.headers?.['content-type'] === undefined;
  if (!isJson || typeof answer.body !== 'string') return reply.send(answer.body);
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
}

function etagIn(body: unknown): string | undefined {
  const etag = typeof body === 'object' && body !== null && 'etag' in body ? body.etag : undefined;
  return typeof etag === 'string' ? etag : undefined;
}
