import type { FastifyRequest } from 'fastify';
import { FleetError } from '#kit/std';
import { clientRequestIdOf } from '../client-request-id.ts';
import { HttpError } from '../errors/http-error.ts';
import type { AuditOutcome, AuditSink, Authenticator, Authorizer, Credentials, Principal } from '../ports.ts';
import type { Route } from '../routes/route.ts';
import { permissionDenied } from '../routes/route-request.ts';
import type { Exchange } from './exchange.ts';
import type { InFlight } from './in-flight.ts';
import type { HttpLimits } from './limits.ts';
import type { RateLimits } from './rate-limits.ts';
import type { RouteTable } from './route-table.ts';

export interface AdmissionDeps {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly audit: AuditSink | undefined;
  readonly rates: RateLimits;
  readonly table: RouteTable;
  readonly limits: HttpLimits;
  readonly realm: string;
  readonly inFlight: InFlight;
  /** Called when valid credentials were presented on the connection. */
  readonly known: (request: FastifyRequest) => void;
  /** Why no requests are accepted now, if so. */
  readonly closing: () => HttpError | undefined;
}

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/** The credentials that a request presents. */
export function credentialsOf({ headers, method, ip: address }: FastifyRequest): Credentials {
  return { bearer: BEARER.exec(headers.authorization ?? '')?.[1], headers, method, address };
}

/**
 * All decisions based on the headers alone, before the body is read: whether the operation exists, who the caller is,
 * and whether the caller has the permission. Until then, no further information is revealed.
 */
export class Admission {
  readonly #deps: AdmissionDeps;

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  async admit(request: FastifyRequest, exchange: Exchange): Promise<void> {
    this.#checkAddressLine(request);
    const route = exchange.route?.route;
    // DECISION: every caller is told that a path does not exist: the API description is public and says the same.
    if (route === undefined) {
      await this.#deps.rates.countPublic(request);
      throw this.#nothingThere(exchange);
    }
    if (!route.unlimited) await this.#identify(request, exchange, route);
    checkDeclaredHeaders(request, route);
  }

  async #identify(request: FastifyRequest, exchange: Exchange, route: Route): Promise<void> {
    const { rates, closing, inFlight, known } = this.#deps;
    const why = closing();
    if (why) throw why;
    if (route.permission === 'public') {
      inFlight.addStranger(exchange);
      return await rates.countPublic(request);
    }
    // Not counted yet: requests of others from the same address must not keep out valid credentials. A connection
    // carries one request at a time.
    const credentials = credentialsOf(request);
    const { bearer } = credentials;
    const principal = await this.#deps.authenticator.authenticate(credentials, exchange.signal);
    if (principal === undefined) {
      await rates.countFailure(request);
      if (bearer !== undefined) await this.#refused(request, exchange, 'unauthenticated');
      throw this.#unauthenticated(bearer);
    }
    known(request);
    exchange.principal = principal;
    await rates.countKnown(request, principal);
    inFlight.becomeKnown(exchange, principal);
    await this.#authorize(request, exchange, { principal, route });
  }

  async #authorize(
    request: FastifyRequest,
    exchange: Exchange,
    { principal, route }: { principal: Principal; route: Route },
  ): Promise<void> {
    const { permission, operationId, reach = 'path' } = route;
    const params = paramsOf(request);
    try {
      const access = { principal, permission, operationId, params, reach };
      if (await this.#deps.authorizer.allow(access, exchange.signal)) return;
    } catch (error) {
      if (error instanceof FleetError && error.entry.category === 'not-found')
        await this.#refused(request, exchange, 'hidden');
      throw error;
    }
    await this.#refused(request, exchange, 'denied');
    throw permissionDenied(permission);
  }

  async #refused(request: FastifyRequest, exchange: Exchange, outcome: AuditOutcome): Promise<void> {
    const { id: requestId, method, path, address, time, principal, route } = exchange;
    if (route === undefined) return;
    const { operationId } = route.route;
    const params = paramsOf(request);
    const asked = { time, requestId, ...clientRequestIdOf(request.headers), operationId, method, path, params };
    const entry = { ...asked, resource: path, principal, address, outcome };
    await this.#deps.audit?.refused(entry);
  }

  #checkAddressLine(request: FastifyRequest): void {
    const { urlChars } = this.#deps.limits;
    if (request.url.length > urlChars) {
      throw new HttpError('URI_TOO_LONG', `The address is longer than ${urlChars} characters. Request less at once.`);
    }
    if (request.url.includes('%00')) {
      throw new HttpError('MALFORMED_REQUEST', 'The address holds the character U+0000. Leave it out.');
    }
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      throw new HttpError('MALFORMED_REQUEST', 'The header Host is missing. HTTP/1.1 requires it.');
    }
  }

  #nothingThere({ path, method }: Exchange): HttpError {
    const methods = this.#deps.table.methodsAt(path);
    if (methods.length === 0) {
      return new HttpError('ROUTE_NOT_FOUND', `There is nothing at ${path}. All paths are listed at /openapi.json.`);
    }
    const allow = methods.join(', ');
    return new HttpError('METHOD_NOT_ALLOWED', `${method} cannot be used here. Use ${allow}.`, { headers: { allow } });
  }

  #unauthenticated(bearer: string | undefined): HttpError {
    const challenge = `Bearer realm="${this.#deps.realm}"`;
    const [message, header] = bearer
      ? ['These credentials are unknown or no longer valid. Get new ones.', `${challenge}, error="invalid_token"`]
      : ['This needs credentials. Send a token as Authorization: Bearer <token>.', challenge];
    return new HttpError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': header } });
  }
}

function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return { ...(request.params as Readonly<Record<string, string>>) };
}

/** Headers and bodies that the operation does not support are refused, not ignored. */
function checkDeclaredHeaders({ headers }: FastifyRequest, route: Route): void {
  if (!route.schema.body && hasBody(headers)) throw refused('', 'this operation takes no body');
  if (!route.ifMatch && headers['if-match'] !== undefined) {
    throw refused('header/if-match', 'cannot be used with this operation');
  }
  if (!route.idempotency && headers['idempotency-key'] !== undefined) {
    throw refused('header/idempotency-key', 'cannot be used with this operation');
  }
  if (route.ifMatch === 'required' && headers['if-match'] === undefined) {
    throw new HttpError(
      'PRECONDITION_REQUIRED',
      'Send If-Match with the etag of the state you read, or * to skip the check.',
    );
  }
}

function hasBody(headers: FastifyRequest['headers']): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}

function refused(path: string, message: string): HttpError {
  const where = path === '' ? 'The request' : path;
  return new HttpError('VALIDATION_FAILED', `${where}: ${message}. Leave it out.`, { faults: [{ path, message }] });
}
