import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import Fastify, {
  errorCodes,
  type FastifyInstance,
  type FastifyRequest,
  type FastifySerializerCompiler,
  type InjectOptions,
  type LightMyRequestResponse,
} from 'fastify';
import type { Clock } from '#kit/std';
import { HttpError } from '../errors/http-error.ts';
import type { JsonSchema } from '../routes/closed-schema.ts';
import { isOptionalBody } from '../routes/optional-body.ts';
import type { Route } from '../routes/route.ts';
import { toRouterPath } from '../routes/route-path.ts';
import type { RequestPart } from '../routes/validation-faults.ts';
import { Validators } from '../routes/validator.ts';
import { Admission } from './admission.ts';
import { answerRoute } from './answer-route.ts';
import { answerResponse } from './client-errors.ts';
import { type CompileDeps, compileRoute, routeSchema } from './compile-route.ts';
import { docsRoute, registerDocs } from './docs.ts';
import { Exchanges, NOWHERE } from './exchanges.ts';
import type { HttpServerDeps, HttpServerOptions } from './http-server.ts';
import type { InFlight } from './in-flight.ts';
import type { HttpLimits } from './limits.ts';
import { MERGE_PATCH, registerOpenapi } from './openapi.ts';
import { parseJson } from './parse-json.ts';
import { createRateLimits } from './rate-limits.ts';
import { RouteTable } from './route-table.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { sendProblem } from './send-problem.ts';
import { shuttingDown } from './shutdown.ts';

export interface AppParts {
  readonly options: HttpServerOptions;
  readonly deps: HttpServerDeps & { readonly clock: Clock };
  readonly limits: HttpLimits;
  readonly inFlight: InFlight;
  readonly isDraining: () => boolean;
  /** Called when valid credentials were presented on the connection. */
  readonly known: (socket: Socket) => void;
  readonly routes: readonly Route[];
}

/** The routes as a request handler, without a socket. */
export interface App {
  /** Made at the first call, from all routes. */
  openapi(): object;
  handle(request: IncomingMessage, response: ServerResponse): void;
  inject(request: InjectOptions): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export async function buildApp(parts: AppParts): Promise<App> {
  const { deps, limits, inFlight, options } = parts;
  const { clock, tracer, log, observer } = deps;
  const unmatched = observer?.operation(NOWHERE);
  const { quietRequests = false } = options;
  const { requestMs } = limits;
  const exchanges = new Exchanges({ clock, tracer, log, unmatched, inFlight, requestMs, quietRequests });
  const app = createFastify(parts, exchanges);
  await addHooks(app, parts, exchanges);
  await registerOpenapi(app, options.api);
  addRoutes(app, parts, exchanges);
  await app.ready();
  return {
    openapi: () => app.swagger(),
    handle: (request, response) => app.routing(request, response),
    // Awaited here, because Fastify's own promise is lazy.
    inject: async (request) => await app.inject(request),
    close: () => app.close(),
  };
}

function createFastify({ options, limits, deps }: AppParts, exchanges: Exchanges): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    trustProxy: options.trustProxy ? [...options.trustProxy] : false,
    routerOptions: { maxParamLength: limits.paramChars },
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    // Thrown by the router, before there is a route whose hooks could run.
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
      sendProblem(error, { exchange: exchanges.begin(request, reply), reply }, deps.log);
    },
  });
  app.setSerializerCompiler(lazySerializers());
  app.removeAllContentTypeParsers();
  const parse = async (_request: FastifyRequest, bytes: Buffer) => (bytes.length === 0 ? undefined : parseJson(bytes));
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);
  // Every PATCH here is a merge patch, so this media type is accepted for PATCH. For other methods it would promise
  // other semantics.
  app.addContentTypeParser(MERGE_PATCH, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    if (request.method !== 'PATCH') throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(MERGE_PATCH);
    return await parse(request, bytes);
  });
  app.setErrorHandler((error, request, reply) => {
    sendProblem(error, { exchange: exchanges.of(request), reply }, deps.log);
  });
  app.setNotFoundHandler(({ url }) => {
    throw new HttpError('ROUTE_NOT_FOUND', `There is nothing at ${url.split('?')[0]}.`);
  });
  return app;
}

/** In this order: headers of every response, admission, and headers added during shutdown. */
/** Fastify's own serializers, each compiled when the first response needs it. */
function lazySerializers(): FastifySerializerCompiler<unknown> {
  const compile = SerializerSelector()({}, {});
  return ({ schema, method, url, httpStatus = '' }) => {
    let serialize: ((data: unknown) => string) | undefined;
    return (data: unknown) => {
      serialize ??= compile({ schema, method, url, httpStatus });
      return serialize(data);
    };
  };
}

async function addHooks(app: FastifyInstance, parts: AppParts, exchanges: Exchanges): Promise<void> {
  const { deps, limits, options, routes, isDraining, inFlight, known } = parts;
  const rates = await createRateLimits(app, limits);
  const table = new RouteTable([...routes, docsRoute]);
  const { authenticator, authorizer, audit } = deps;
  const admission = new Admission({
    authenticator,
    authorizer,
    audit,
    rates,
    table,
    limits,
    realm: options.realm,
    inFlight,
    known: ({ socket }) => known(socket),
    closing: () => (isDraining() ? shuttingDown() : undefined),
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    const exchange = exchanges.begin(request, reply);
    await exchange.within(() => admission.admit(request, exchange));
    if (exchange.route?.route.permission === 'public' && exchange.route.route.schema.body !== undefined) {
      exchange.receiveWithin(limits.publicReceiveMs, () => {
        const message = 'The request did not arrive in time. Send it again, faster.';
        reply.hijack();
        answerResponse(new HttpError('REQUEST_TOO_SLOW', message), reply.raw, exchange.path);
      });
    }
  });
  // The body has arrived.
  app.addHook('preValidation', async (request) => exchanges.of(request).received());
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
}

function addRoutes(app: FastifyInstance, parts: AppParts, exchanges: Exchanges): void {
  const { deps, inFlight, limits, routes, options } = parts;
  const { observer, authenticator, authorizer, log, audit, streams } = deps;
  const { verifyResponses = false } = options;
  const validators = new Validators({ atOnce: verifyResponses });
  const compiling: CompileDeps = { observer, validators, verifyResponses };
  app.setValidatorCompiler<JsonSchema>(({ schema, httpPart, method, url }) =>
    validators.forRequest(schema, PARTS[httpPart ?? 'body'] ?? 'body', `${method} ${url}`),
  );
  for (const route of routes) {
    const compiled = compileRoute(route, compiling);
    const { body } = route.schema;
    app.route({
      method: route.method,
      url: toRouterPath(route.path),
      schema: routeSchema(route),
      ...(route.permission === 'public' && {
        bodyLimit: Math.min(route.bodyBytes ?? limits.publicBodyBytes, limits.bodyBytes),
      }),
      exposeHeadRoute: route.method === 'GET' && route.respond.kind === 'answer',
      config: { compiled },
      ...(body !== undefined && isOptionalBody({ ...body }) ? { preValidation: emptyIfAbsent } : {}),
      handler: (request, reply) =>
        answerRoute(
          { request, reply, exchange: exchanges.of(request), compiled },
          { authenticator, authorizer, inFlight, limits, log, audit, streams },
        ),
    });
  }
  registerDocs(app, { title: options.api.title, compiled: compileRoute(docsRoute, compiling) });
}

/**
 * Runs before validation: the validator cannot distinguish a missing body from a JSON `null`, and only the former
 * counts as absent.
 */
async function emptyIfAbsent(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}

const PARTS: Readonly<Record<string, RequestPart>> = { body: 'body', querystring: 'query', params: 'path' };
