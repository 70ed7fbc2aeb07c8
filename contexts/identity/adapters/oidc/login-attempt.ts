import { createHmac } from 'node:crypto';
import { safeReturnTo } from '../../domain/return-to.ts';

/**
 * A login in progress. It is stored in a cookie of the browser that began it, so that strangers cannot fill a table.
 *
 * State, nonce and verifier derive from one secret and from the attempt's data: with the issuer or the return path
 * changed in the cookie, the state no longer matches.
 */
export interface LoginAttempt {
  readonly secret: string;
  readonly issuer: string;
  readonly returnTo: string;
  readonly expireTime: number;
}

export interface AttemptSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export const ATTEMPT_COOKIE = 'fleetshift-login';
export const ATTEMPT_MS = 10 * 60_000;
const SHAPE = /^([\w-]{43})\.([a-z0-9-]{1,63})\.(\d{1,15})\.([\w-]*)$/;

export function formatAttempt({ secret, issuer, returnTo, expireTime }: LoginAttempt): string {
  return `${secret}.${issuer}.${expireTime}.${Buffer.from(returnTo).toString('base64url')}`;
}

/** `undefined` when the cookie is malformed or has expired. */
export function parseAttempt(cookie: string | undefined, now: number): LoginAttempt | undefined {
  const [, secret, issuer, time, path] = SHAPE.exec(cookie ?? '') ?? [];
  if (secret === undefined || issuer === undefined || path === undefined) return undefined;
  const expireTime = Number(time);
  if (now >= expireTime) return undefined;
  const returnTo = safeReturnTo(Buffer.from(path, 'base64url').toString('utf8'), '/');
  return { secret, issuer, returnTo, expireTime };
}

export function secretsOf({ secret, ...about }: LoginAttempt): AttemptSecrets {
  const derive = (purpose: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, about.issuer, about.returnTo, about.expireTime]))
      .digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}
