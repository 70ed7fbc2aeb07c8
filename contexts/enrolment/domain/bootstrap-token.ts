import { type FieldFault, labelFaults, parseResourceName, type ResourceName, StdError } from '#kit/std';
import { EnrolmentError, invalid } from './enrolment-error.ts';
import type { Place } from './place.ts';
import { readDuration } from './read-duration.ts';

/**
 * Lets machines enrol into a workspace, with a limited number of uses and a limited lifetime. Never contains the token
 * itself.
 */
export interface BootstrapToken {
  /** Part of the token, in clear text. */
  readonly id: string;
  readonly name: ResourceName;
  readonly workspace: Place;
  /** SHA-256 of the secret part, in hex. */
  readonly hash: string;
  readonly uses: number;
  readonly used: number;
  /** If not empty, the token is valid for these targets only: its creator has chosen them. */
  readonly targets: readonly ResourceName[];
  readonly targetType: ResourceName | undefined;
  /** The creator's own reference for the targets that enrol with the token. */
  readonly correlation: string | undefined;
  readonly createTime: number;
  readonly expireTime: number;
}

export interface BootstrapTokenRequest {
  readonly name?: string;
  readonly uses?: number;
  readonly ttl?: string;
  readonly targets?: readonly string[];
  readonly targetType?: string;
  readonly correlation?: string;
}

export interface TokenFounding {
  readonly id: string;
  readonly hash: string;
  readonly workspace: Place;
  readonly now: number;
}

const TOKEN_STATUSES = ['active', 'consumed', 'expired'] as const;
export type TokenStatus = (typeof TOKEN_STATUSES)[number];

/** Set on targets that enrol with a token that has a correlation. */
export const CORRELATION_LABEL = 'fleetshift.io/correlation';
const MAX_USES = 10_000;
const MAX_TOKEN_TARGETS = 100;
/** More live tokens than an administrator can keep track of. */
export const MAX_TOKENS = 1_000;
const HOUR_MS = 3_600_000;
const MAX_TTL_MS = 30 * 24 * HOUR_MS;
const MIN_TTL_MS = 1_000;

export function newBootstrapToken(request: BootstrapTokenRequest, founding: TokenFounding): BootstrapToken {
  const { id, hash, workspace, now } = founding;
  const { uses = 1, targets = [], correlation } = request;
  const faults: FieldFault[] = [];
  const ttl = readDuration(request.ttl, { path: '/ttl', otherwise: HOUR_MS, min: MIN_TTL_MS, max: MAX_TTL_MS }, faults);
  if (!(uses >= 1 && uses <= MAX_USES)) faults.push({ path: '/uses', message: `must be from 1 to ${MAX_USES}` });
  if (targets.length > MAX_TOKEN_TARGETS)
    faults.push({ path: '/targets', message: `must have at most ${MAX_TOKEN_TARGETS} entries` });
  const name = readName(request.name ?? id, '/name', faults);
  const names = targets.map((target, index) => readName(target, `/targets/${index}`, faults));
  const targetType = request.targetType === undefined ? undefined : readName(request.targetType, '/targetType', faults);
  if (correlation !== undefined && labelFaults({ [CORRELATION_LABEL]: correlation }).length > 0) {
    faults.push({
      path: '/correlation',
      message: 'must be a valid label value: up to 63 letters, digits, -, _ and .',
    });
  }
  if (faults.length > 0 || name === undefined) throw invalid('INVALID_BOOTSTRAP_TOKEN', faults);
  const bound = [...new Set(names.filter((each) => each !== undefined))].sort();
  const times = { createTime: now, expireTime: now + ttl };
  return { id, name, workspace, hash, uses, used: 0, targets: bound, targetType, correlation, ...times };
}

export function statusOf(token: BootstrapToken, now: number): TokenStatus {
  if (token.used >= token.uses) return 'consumed';
  return now < token.expireTime ? 'active' : 'expired';
}

/** Throws unless the token has a use left and has not expired. */
export function checkUsable(token: BootstrapToken, now: number): void {
  const status = statusOf(token, now);
  if (status === 'consumed') throw consumed(token);
  if (status === 'active') return;
  throw new EnrolmentError(
    'BOOTSTRAP_TOKEN_EXPIRED',
    `Bootstrap token ${token.name} expired on ${new Date(token.expireTime).toISOString()}. Ask for a new one.`,
  );
}

function consumed({ name, uses }: BootstrapToken): EnrolmentError {
  return new EnrolmentError(
    'BOOTSTRAP_TOKEN_CONSUMED',
    `Bootstrap token ${name} was used ${uses === 1 ? 'already' : `${uses} times, as often as it may be`}. Ask for a new one; a fleetlet that has enrolled renews its certificate without.`,
  );
}

function readName(raw: string, path: string, faults: FieldFault[]): ResourceName | undefined {
  try {
    return parseResourceName(raw);
  } catch (error) {
    if (!(error instanceof StdError)) throw error;
    const message = 'must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end';
    faults.push({ path, message });
    return undefined;
  }
}
