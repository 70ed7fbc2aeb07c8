import type { Uuid } from '#kit/std';

export const SESSION_KINDS = ['browser', 'cli'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** Somebody who logged in here. Whoever shows its secret is taken for that one. */
export interface Session {
  /** SHA-256 of its secret, in hex. */
  readonly hash: string;
  readonly uid: Uuid;
  readonly kind: SessionKind;
  readonly principal: { readonly kind: 'user' | 'admin'; readonly id: string };
  /** As the issuer said at login. */
  readonly groups: readonly string[];
  readonly issuer: string | undefined;
  readonly createTime: number;
  readonly lastUsedTime: number;
  /** At the latest. */
  readonly expireTime: number;
  readonly address: string;
  readonly userAgent: string | undefined;
}

export interface SessionLimits {
  /** Without a request for so long, it ends. */
  readonly idleMs: number;
  /** However much it is used, it ends then: groups are as old as the login. */
  readonly absoluteMs: number;
  /** Of the token that a one-time login gives a CLI. */
  readonly cliMs: number;
}

const HOUR_MS = 3_600_000;
export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  idleMs: 8 * HOUR_MS,
  absoluteMs: 24 * HOUR_MS,
  cliMs: HOUR_MS,
};

/** `lastUsed` may be later than the stored one: not every use is written down. */
export function isSessionLive(session: Session, { idleMs }: SessionLimits, { now, lastUsed }: SessionUse): boolean {
  return now < session.expireTime && now < Math.max(session.lastUsedTime, lastUsed) + idleMs;
}

export interface SessionUse {
  readonly now: number;
  readonly lastUsed: number;
}
