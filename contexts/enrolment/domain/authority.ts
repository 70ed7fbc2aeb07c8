import { type FieldFault, formatDuration, type Uuid } from '#kit/std';
import { EnrolmentError, invalid } from './enrolment-error.ts';
import { readDuration } from './read-duration.ts';

/**
 * Next: published, so that its certificates will be trusted everywhere, but does not issue yet. Issuing: issues.
 * Trusted: its certificates are still valid. Retired: none of them is.
 */
const AUTHORITY_STATES = ['Next', 'Issuing', 'Trusted', 'Retired'] as const;
export type AuthorityState = (typeof AUTHORITY_STATES)[number];

/**
 * DECISION: the state follows from the times, and is not stored. So every process of an instance changes state at the
 * same moment, and none has to be running for it.
 */
export interface CertificateAuthority {
  readonly uid: Uuid;
  readonly name: string;
  /** PEM. */
  readonly certificate: string;
  /** SHA-256 of the certificate, in hex. */
  readonly fingerprint: string;
  /** A P-256 key in PEM, sealed. */
  readonly sealedKey: string;
  readonly createTime: number;
  readonly issueFrom: number;
  /** Set once there is a successor. */
  readonly retireTime: number | undefined;
  readonly notAfter: number;
}

export interface CertificateLimits {
  /** The lifetime of a fleetlet's certificate. */
  readonly ttlMs: number;
  /** How long an expired certificate can still be renewed. */
  readonly graceMs: number;
}

export interface RotationRequest {
  /** How long the new authority is published before it issues. */
  readonly lead?: string;
  /** How long the old authority stays trusted after that. */
  readonly overlap?: string;
}

export interface RotationTimes {
  readonly issueFrom: number;
  readonly retireTime: number;
}

const DAY_MS = 86_400_000;
export const AUTHORITY_LIFE_MS = 3_650 * DAY_MS;
/** Long enough for operators who distribute the authorities by hand. */
const SUCCEEDED_BEFORE_MS = 365 * DAY_MS;
const DEFAULT_LEAD_MS = 600_000;
const MAX_LEAD_MS = 30 * DAY_MS;
const MAX_OVERLAP_MS = 3_650 * DAY_MS;

export function authorityState(
  authority: CertificateAuthority,
  all: readonly CertificateAuthority[],
  now: number,
): AuthorityState {
  if (now >= authority.notAfter || (authority.retireTime !== undefined && now >= authority.retireTime))
    return 'Retired';
  if (issuingAuthority(all, now) === authority) return 'Issuing';
  return now < authority.issueFrom ? 'Next' : 'Trusted';
}

/**
 * The latest one that has begun to issue. Before all of them, which is a clock that was set back, the first: an instance that is
 * younger than the step must not end up without an authority.
 */
export function issuingAuthority(all: readonly CertificateAuthority[], now: number): CertificateAuthority | undefined {
  const valid = all.filter(({ notAfter }) => now < notAfter).toSorted((a, b) => a.issueFrom - b.issueFrom);
  return valid.findLast(({ issueFrom }) => issueFrom <= now) ?? valid[0];
}

/** Whether a new authority is due, as none is left that is valid for long enough. */
export function needsSuccessor(all: readonly CertificateAuthority[], now: number): boolean {
  return all.every(({ notAfter }) => notAfter - now < SUCCEEDED_BEFORE_MS);
}

/** The authorities that can have issued a valid certificate, now or soon. */
export function trustedAuthorities(all: readonly CertificateAuthority[], now: number): readonly CertificateAuthority[] {
  return all.filter((authority) => authorityState(authority, all, now) !== 'Retired');
}

/**
 * By default the old authority is trusted until the last certificate that it could have issued can no longer be
 * renewed. Refused while a rotation is pending: of two authorities that have not begun, it would be unclear which comes
 * first.
 */
export function planRotation(
  all: readonly CertificateAuthority[],
  request: RotationRequest,
  { now, limits }: { readonly now: number; readonly limits: CertificateLimits },
): RotationTimes {
  const faults: FieldFault[] = [];
  const lead = readDuration(
    request.lead,
    { path: '/lead', otherwise: DEFAULT_LEAD_MS, min: 0, max: MAX_LEAD_MS },
    faults,
  );
  const otherwise = limits.ttlMs + limits.graceMs;
  const overlap = readDuration(request.overlap, { path: '/overlap', otherwise, min: 0, max: MAX_OVERLAP_MS }, faults);
  if (faults.length > 0) throw invalid('INVALID_ROTATION', faults);
  const next = all.find((authority) => authorityState(authority, all, now) === 'Next');
  if (next !== undefined) {
    const when = formatDuration(Math.max(1_000, Math.ceil((next.issueFrom - now) / 1_000) * 1_000));
    throw new EnrolmentError(
      'ROTATION_UNDER_WAY',
      `A new authority begins to issue in ${when}. Rotate again after that.`,
      { details: { next: next.uid } },
    );
  }
  return { issueFrom: now + lead, retireTime: now + lead + overlap };
}
