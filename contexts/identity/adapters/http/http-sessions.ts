import type { IncomingHttpHeaders } from 'node:http';
import { defineListRoute, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import { parseUuid } from '#kit/std';
import { RevokedSessionsSchema, RevokeSessionsSchema, SessionParamsSchema, SessionSchema } from '#protocol/api';
import { MAX_TOKEN_AGE_MS, tokenKey } from '../../application/login-service.ts';
import type { UnitOfWork } from '../../application/ports.ts';
import { IdentityError } from '../../domain/identity-error.ts';
import { ownOrigin } from '../../domain/own-origin.ts';
import { parseSessionToken, signedPartOf } from '../../domain/token-text.ts';
import type { IdentityParts } from '../identity-parts.ts';
import { sessionResource } from '../resources.ts';
import { clearSessionCookie, sessionCookie } from '../session-cookie.ts';

const COLLECTION = '/v1/sessions';
const tags = ['identity'];
const BEARER = /^Bearer +(\S+)$/i;

/** `/v1/sessions`: the caller's own sessions, and the revocation of another user's. */
export function sessionRoutes(parts: IdentityParts): Route[] {
  return [listRoute(parts), deleteRoute(parts), revokeRoute(parts), logoutRoute(parts)];
}

function listRoute(parts: IdentityParts): Route {
  const { reader } = parts;
  return defineListRoute({
    path: COLLECTION,
    operationId: 'listSessions',
    summary: 'List your own sessions',
    tags,
    permission: 'sessions.read',
    reach: 'filtered',
    schema: { item: SessionSchema },
    filter: { kind: 'string', issuer: 'string', createTime: 'timestamp', lastUsedTime: 'timestamp' },
    keyOf: ({ uid }) => [uid],
    read: async ({ principal, headers, signal }, { after, limit }) => {
      const range = { after: after === undefined ? undefined : String(after[0]), limit };
      const asking = callerOf(parts, headers);
      const hash = asking.kind === 'session' ? asking.hash : undefined;
      return (await reader.sessionsOf(principal, range, signal)).map((session) => sessionResource(session, hash));
    },
  });
}

function deleteRoute({ storage, unit, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: `${COLLECTION}/{session}`,
    operationId: 'deleteSession',
    summary: 'End one of your own sessions',
    tags,
    permission: 'sessions.delete',
    reach: 'filtered',
    schema: { params: SessionParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const uid = parseUuid(request.params.session);
        const { principal } = request;
        if (!(await unit(tx).sessions.remove({ principal, uid }, request.signal)))
          throw sessionNotFound(`You have no session ${uid}.`);
        return noContent();
      });
      changed();
      return answer;
    },
  });
}

function revokeRoute({ storage, unit, login, changed }: IdentityParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${COLLECTION}:revoke`,
    operationId: 'revokeSessions',
    summary: 'Log a user out everywhere',
    description: 'Ends all sessions of a user, and revokes every token that issuers have issued to the user so far.',
    tags,
    permission: 'sessions.delete',
    schema: { body: RevokeSessionsSchema, responses: { 200: RevokedSessionsSchema } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const command = { user: request.body.user, now: request.time };
        return ok({ sessions: await login.revokeUser(unit(tx), command, request.signal) });
      });
      changed();
      return answer;
    },
  });
}

function logoutRoute(parts: IdentityParts): Route {
  const { storage, unit, changed, origins } = parts;
  return defineRoute({
    method: 'POST',
    path: '/v1/logout',
    operationId: 'logout',
    summary: 'Log out',
    description:
      'Ends the session of the caller, or revokes the issuer token that the request carries. To end the token of a service account, delete it.',
    tags,
    permission: 'sessions.delete',
    reach: 'filtered',
    schema: { responses: { 204: NoContent } },
    handler: async (request) => {
      const caller = callerOf(parts, request.headers);
      const answer = await mutate(request, storage, async (tx) => {
        await endCaller(caller, unit(tx), request);
        return noContent();
      });
      changed();
      const own = ownOrigin(origins(), request.headers);
      const isCookie = caller.kind === 'session' && caller.byCookie && own !== undefined;
      return isCookie ? { ...answer, headers: { 'set-cookie': clearSessionCookie(own) } } : answer;
    },
  });
}

/** The credential that the caller authenticated with. */
type Caller =
  | { readonly kind: 'session'; readonly hash: string; readonly byCookie: boolean }
  | { readonly kind: 'issuerToken'; readonly hash: string }
  | { readonly kind: 'other' };

function callerOf({ secrets, origins }: IdentityParts, headers: IncomingHttpHeaders): Caller {
  const bearer = BEARER.exec(headers.authorization ?? '')?.[1];
  if (bearer !== undefined) {
    const secret = parseSessionToken(bearer);
    if (secret !== undefined) return { kind: 'session', hash: secrets.hash(secret), byCookie: false };
    const signed = signedPartOf(bearer);
    return signed === undefined ? { kind: 'other' } : { kind: 'issuerToken', hash: secrets.hash(signed) };
  }
  const own = ownOrigin(origins(), headers);
  const secret = own && sessionCookie(headers.cookie, own);
  return secret === undefined ? { kind: 'other' } : { kind: 'session', hash: secrets.hash(secret), byCookie: true };
}

async function endCaller(
  caller: Caller,
  unit: UnitOfWork,
  { time, signal }: { readonly time: number; readonly signal: AbortSignal },
): Promise<void> {
  if (caller.kind === 'session') {
    await unit.sessions.remove({ hash: caller.hash }, signal);
    return;
  }
  if (caller.kind === 'other') {
    throw sessionNotFound('These credentials are not a session. To end the token of a service account, delete it.');
  }
  const revocation = { key: tokenKey(caller.hash), notAfter: time, expireTime: time + MAX_TOKEN_AGE_MS };
  await unit.revocations.put(revocation, signal);
}

function sessionNotFound(message: string): IdentityError {
  return new IdentityError('SESSION_NOT_FOUND', message);
}
