import { cookieIn, cookieName, setCookie } from '../domain/cookies.ts';
import type { OwnOrigin } from '../domain/own-origin.ts';

const COOKIE = 'fleetshift-session';

export function sessionCookie(header: string | undefined, { secure }: OwnOrigin): string | undefined {
  return cookieIn(header, cookieName(COOKIE, secure));
}

export function setSessionCookie(secret: string, { secure }: OwnOrigin, lifetimeMs: number): string {
  return setCookie(COOKIE, secret, { secure, maxAgeSeconds: Math.floor(lifetimeMs / 1000) });
}

export function clearSessionCookie({ secure }: OwnOrigin): string {
  return setCookie(COOKIE, '', { secure, maxAgeSeconds: 0 });
}
