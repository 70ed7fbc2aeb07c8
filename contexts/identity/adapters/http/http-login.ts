import { Type } from 'typebox';
import { type Answer, defineRoute, mutate, ok, type Route } from '#kit/http';
import {
  IssuerParamsSchema,
  LoginCallbackQuerySchema,
  LoginChoicesSchema,
  LoginQuerySchema,
  RedeemedLoginSchema,
  RedeemLoginSchema,
} from '#protocol/api';
import { cookieIn, cookieName, setCookie } from '../../domain/cookies.ts';
import { IdentityError } from '../../domain/identity-error.ts';
import { checkSameOrigin, type OwnOrigin, ownOrigin } from '../../domain/own-origin.ts';
import { safeReturnTo } from '../../domain/return-to.ts';
import type { IdentityParts } from '../identity-parts.ts';
import type { VerifiedUser } from '../oidc/jwt-verifier.ts';
import { ATTEMPT_COOKIE, ATTEMPT_MS, formatAttempt, type LoginAttempt, parseAttempt } from '../oidc/login-attempt.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { LOGIN_FAILURE_NAMES, type LoginFailure } from './login-failures.ts';
import { LOGGED_IN, LOGIN_PAGE_POLICY, loginPage } from './login-page.ts';

const CHOICES = '/v1/login';
const CALLBACK = `${CHOICES}/callback`;
const tags = ['identity'];
const shared = { tags, permission: 'public' } as const;
const Redirect = Type.Null({ description: 'Continue at `Location`.' });

/** Login with a browser or a one-time code. The caller is not authenticated yet. */
export function loginRoutes(parts: IdentityParts): Route[] {
  return [pageRoute(parts), choicesRoute(parts), beginRoute(parts), callbackRoute(parts), redeemRoute(parts)];
}

function pageRoute({ directory }: IdentityParts): Route {
  const page = defineRoute({
    ...shared,
    method: 'GET',
    path: '/login',
    operationId: 'getLoginPage',
    summary: 'Get the login page for browsers',
    schema: {
      query: Type.Object({
        returnTo: LoginQuerySchema.properties.returnTo,
        error: Type.Optional(Type.Enum(LOGIN_FAILURE_NAMES, { description: 'Why the previous login failed.' })),
        outcome: Type.Optional(Type.Enum(['done'], { description: 'The login succeeded.' })),
      }),
      responses: { 200: Type.String() },
    },
    handler: async ({ query, signal }) => {
      const returnTo = query.returnTo === undefined ? undefined : safeReturnTo(query.returnTo, LOGGED_IN);
      const issuers = await directory.all(signal);
      const html = loginPage({ issuers, failure: query.error, done: query.outcome === 'done', returnTo });
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': LOGIN_PAGE_POLICY };
      return { ...ok(html), headers };
    },
  });
  return { ...page, produces: 'text/html' };
}

function choicesRoute({ directory }: IdentityParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: CHOICES,
    operationId: 'listLoginChoices',
    summary: 'List the ways to log in',
    description: 'For a browser or a CLI, to begin a login.',
    schema: { responses: { 200: LoginChoicesSchema } },
    handler: async ({ signal }) => {
      const issuers = (await directory.all(signal)).map((issuer) => {
        const { name, displayName, url, clientId, cliClientId, scopes, ca } = issuer;
        return {
          name,
          ...(displayName === undefined ? {} : { displayName }),
          url,
          clientId: cliClientId ?? clientId,
          scopes: [...scopes],
          ...(ca === undefined ? {} : { ca }),
          loginPath: `${CHOICES}/${name}`,
        };
      });
      return ok({ issuers });
    },
  });
}

function beginRoute({ directory, flow, secrets, origins }: IdentityParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: `${CHOICES}/{issuer}`,
    operationId: 'beginLogin',
    summary: 'Begin a login with a browser',
    schema: { params: IssuerParamsSchema, query: LoginQuerySchema, responses: { 302: Redirect } },
    handler: async ({ params, query, headers, time, signal }) => {
      const returnTo = safeReturnTo(query.returnTo, LOGGED_IN);
      const own = ownOrigin(origins(), headers);
      if (own === undefined) return failed('unknownAddress', returnTo);
      const issuer = await directory.byName(params.issuer, signal);
      if (issuer === undefined) return failed('issuerNotFound', returnTo);
      const attempt = { secret: secrets.newSecret(), issuer: issuer.name, returnTo, expireTime: time + ATTEMPT_MS };
      return await orFailure(returnTo, async () => {
        const url = await flow.begin({ issuer, attempt, redirectUri: `${own.origin}${CALLBACK}` }, signal);
        return redirect(url.href, attemptCookie(attempt, own));
      });
    },
  });
}

function callbackRoute(parts: IdentityParts): Route {
  const { directory, flow, origins } = parts;
  return defineRoute({
    ...shared,
    method: 'GET',
    path: CALLBACK,
    operationId: 'completeLogin',
    summary: 'Complete a login: the issuer redirects the browser here',
    schema: { query: LoginCallbackQuerySchema, responses: { 302: Redirect } },
    handler: async (request) => {
      const { query, headers, time, signal } = request;
      const own = ownOrigin(origins(), headers);
      if (own === undefined) return failed('unknownAddress', LOGGED_IN);
      const attempt = parseAttempt(cookieIn(headers.cookie, cookieName(ATTEMPT_COOKIE, own.secure)), time);
      const issuer = attempt && (await directory.byName(attempt.issuer, signal));
      if (attempt === undefined || issuer === undefined) return failed('attemptExpired', LOGGED_IN);
      return await orFailure(attempt.returnTo, async () => {
        const leg = { issuer, attempt, redirectUri: `${own.origin}${CALLBACK}` };
        const user = await flow.complete(leg, new URLSearchParams(query as Record<string, string>), signal);
        if (user === undefined) return failed('refusedByIssuer', attempt.returnTo);
        return await mutate(request, parts.storage, async (tx) => {
          const wanted = { ...byUser(user), address: request.address, userAgent: headers['user-agent'], now: time };
          const { session, text } = await parts.login.open(parts.unit(tx), wanted, signal);
          return redirect(attempt.returnTo, setSessionCookie(text, own, session.expireTime - time));
        });
      });
    },
  });
}

function redeemRoute({ storage, unit, login, origins, removeCodes }: IdentityParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: `${CHOICES}:redeem`,
    operationId: 'redeemLogin',
    summary: 'Log in with a one-time code',
    description: 'Opens an administrator session. Each code works once.',
    schema: { body: RedeemLoginSchema, responses: { 200: RedeemedLoginSchema } },
    handler: async (request) => {
      const { body, headers, time, signal } = request;
      const own = body.kind === 'browser' ? browserOrigin(origins(), headers) : undefined;
      const { dryRun } = request;
      const answer = await mutate(request, storage, async (tx) => {
        const from = { address: request.address, userAgent: headers['user-agent'] };
        const { session, text } = await login.redeem(unit(tx), { ...body, ...from, now: time }, signal);
        const { principal, expireTime } = session;
        const told = { principal, expireTime: new Date(expireTime).toISOString() };
        // A dry run opened no session, so there is no token to return.
        if (dryRun) return ok(told);
        if (own === undefined) return ok({ ...told, token: text });
        return { ...ok(told), headers: { 'set-cookie': setSessionCookie(text, own, expireTime - time) } };
      });
      if (!dryRun) removeCodes();
      return answer;
    },
  });
}

/** Login is also refused for pages of other origins, so that they cannot log a user in. */
function browserOrigin(origins: readonly string[], headers: Parameters<typeof ownOrigin>[1]): OwnOrigin {
  const own = ownOrigin(origins, headers);
  if (own === undefined) {
    throw new IdentityError(
      'ORIGIN_REFUSED',
      'This platform is not configured for this address. Use one of its own addresses.',
    );
  }
  checkSameOrigin(headers, 'POST', own);
  return own;
}

function byUser({ id, groups, issuer }: VerifiedUser) {
  return { kind: 'browser', principal: { kind: 'user', id }, groups, issuer: issuer.name } as const;
}

function attemptCookie(attempt: LoginAttempt, { secure }: OwnOrigin): string {
  return setCookie(ATTEMPT_COOKIE, formatAttempt(attempt), { secure, maxAgeSeconds: ATTEMPT_MS / 1000 });
}

async function orFailure(returnTo: string, work: () => Promise<Answer<302, null>>): Promise<Answer<302, null>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof IdentityError && error.code === 'ISSUER_UNAVAILABLE')
      return failed('issuerUnavailable', returnTo);
    if (error instanceof IdentityError && error.code === 'SUBJECT_REFUSED') return failed('subjectRefused', returnTo);
    throw error;
  }
}

function failed(failure: LoginFailure, returnTo: string): Answer<302, null> {
  const query = new URLSearchParams({ error: failure, ...(returnTo === LOGGED_IN ? {} : { returnTo }) });
  return redirect(`/login?${query.toString()}`);
}

function redirect(location: string, cookie?: string): Answer<302, null> {
  return {
    status: 302,
    body: null,
    headers: { location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
  };
}
