import { type FieldFault, formatDuration, parseDuration, StdError, type Uuid } from '#kit/std';
import { IdentityError, invalid } from './identity-error.ts';
import { displayNameFaults } from './service-account.ts';

export const ROLES = ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Narrows a token to less than its service account may do. */
export interface TokenScope {
  /** `workspaces/web`: the token is not valid outside of it. */
  readonly within?: string;
  readonly roles?: readonly Role[];
}

/** The stored form of a token: never the token itself. */
export interface AccountToken {
  /** Part of the token, in clear text. */
  readonly id: string;
  /** The uid of its service account. */
  readonly account: Uuid;
  /** SHA-256 of the secret part, in hex. */
  readonly hash: string;
  readonly displayName: string | undefined;
  readonly scope: TokenScope;
  readonly createTime: number;
  readonly expireTime: number;
  readonly lastUsedTime: number | undefined;
  /** The token that replaced it. */
  readonly rotatedTo: string | undefined;
}

export interface TokenLimits {
  readonly defaultTtlMs: number;
  readonly maxTtlMs: number;
}

const DAY_MS = 86_400_000;
export const DEFAULT_TOKEN_LIMITS: TokenLimits = { defaultTtlMs: 90 * DAY_MS, maxTtlMs: 365 * DAY_MS };
/** More than an administrator can keep track of. */
export const MAX_TOKENS = 50;
const MIN_TTL_MS = 1_000;

export interface TokenRequest {
  readonly displayName?: string;
  readonly ttl?: string;
  readonly scope?: TokenScope;
}

export interface TokenFounding {
  readonly id: string;
  readonly account: Uuid;
  readonly hash: string;
  readonly now: number;
  readonly limits: TokenLimits;
}

export function newToken(request: TokenRequest, { id, account, hash, now, limits }: TokenFounding): AccountToken {
  const { displayName, scope = {} } = request;
  const faults = displayNameFaults(displayName);
  const ttl = readTtl(request.ttl, limits.defaultTtlMs, { path: '/ttl', limits, faults });
  if (faults.length > 0) throw invalid('INVALID_TOKEN_REQUEST', faults);
  const times = { createTime: now, expireTime: now + ttl, lastUsedTime: undefined };
  return { id, account, hash, displayName, scope, ...times, rotatedTo: undefined };
}

export interface RotationRequest {
  readonly overlap?: string;
  readonly ttl?: string;
}

/**
 * The old token ends after the overlap, or at its own expiry if that is earlier. The new one has the same settings and
 * lifetime.
 */
export function rotateToken(
  old: AccountToken,
  request: RotationRequest,
  founding: TokenFounding,
): { readonly old: AccountToken; readonly next: AccountToken } {
  const { now, limits } = founding;
  if (!isLive(old, now)) throw ended(old, 'has expired');
  if (old.rotatedTo !== undefined) throw ended(old, `was already rotated to ${old.rotatedTo}`);
  const faults: FieldFault[] = [];
  const lived = Math.min(old.expireTime - old.createTime, limits.maxTtlMs);
  const ttl = readTtl(request.ttl, lived, { path: '/ttl', limits, faults });
  const overlap = readDuration(request.overlap, 0, { path: '/overlap', faults });
  if (faults.length > 0) throw invalid('INVALID_TOKEN_REQUEST', faults);
  const { displayName, scope } = old;
  const kept = { ...(displayName === undefined ? {} : { displayName }), scope };
  const next = newToken({ ...kept, ttl: formatDuration(ttl) }, founding);
  return { old: { ...old, expireTime: Math.min(old.expireTime, now + overlap), rotatedTo: next.id }, next };
}

export function isLive({ expireTime }: Pick<AccountToken, 'expireTime'>, now: number): boolean {
  return now < expireTime;
}

interface TtlReading {
  readonly path: string;
  readonly limits: TokenLimits;
  readonly faults: FieldFault[];
}

function readTtl(raw: string | undefined, otherwise: number, { path, limits, faults }: TtlReading): number {
  const ttl = readDuration(raw, Math.min(otherwise, limits.maxTtlMs), { path, faults });
  if (ttl < MIN_TTL_MS || ttl > limits.maxTtlMs) {
    faults.push({ path, message: `must be from 1s to ${formatDuration(limits.maxTtlMs)}` });
  }
  return ttl;
}

function readDuration(raw: string | undefined, otherwise: number, reading: Omit<TtlReading, 'limits'>): number {
  try {
    return raw === undefined ? otherwise : parseDuration(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    reading.faults.push({ path: reading.path, message: 'must be a duration such as 12h or 30d' });
    return otherwise;
  }
}

function ended({ id }: AccountToken, why: string): IdentityError {
  return new IdentityError('TOKEN_ENDED', `Token ${id} ${why}. Create a new token, or rotate the one in use.`);
}
