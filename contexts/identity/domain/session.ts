import type { Uuid } from '#kit/std';

export const SESSION_KINDS = ['browser', 'cli'] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** A login on this platform. Its secret authenticates the principal. */
export interface Session {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly uid: Uuid;
  readonly kind: SessionKind;
  readonly principal: { readonly kind: 'user' | 'admin'; readonly id: string };
  /** As the issuer reported them at login. */
  readonly groups: readonly string[];
  readonly issuer: string | undefined;
  readonly createTime: number;
  readonly lastUsedTime: number;
  /** The absolute end. */
  readonly expireTime: number;
  readonly address: string;
  readonly userAgent: string | undefined;
}

export interface SessionLimits {
  /** Ends after this time without a request. */
  readonly idleMs: number;
  /** Ends after this time even if used: the groups are as old as the login. */
  readonly absoluteMs: number;
  /** The lifetime of the CLI token from a one-time login. */
  readonly cliMs: number;
}

const HOUR_MS = 3_600_000;
export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  idleMs: 8 * HOUR_MS,
  absoluteMs: 24 * HOUR_MS,
  cliMs: HOUR_MS,
};

/** `lastUsed` may be later than the stored time, since not every use is stored. */
export function isSessionLive(session: Session, { idleMs }: SessionLimits, { now, lastUsed }: SessionUse): boolean {
  return now < session.expireTime && now < Math.max(session.lastUsedTime, lastUsed) + idleMs;
}

export interface SessionUse {
  readonly now: number;
  readonly lastUsed: number;
}
