import { canonicalJson } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';

export interface LeaseSpec {
  /** Absent if the lease is free. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** `coordination.k8s.io/v1`. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** A lease as read, and since when it has been unchanged, by our own monotonic clock. */
export interface SeenLease {
  readonly lease: Lease;
  readonly since: number;
}

/**
 * DECISION: the times in a lease are for people. Whether it has expired is decided by how long this process has seen it
 * unchanged, so that clock skew can neither steal a lease nor keep a dead one.
 */
export function see(before: SeenLease | undefined, lease: Lease, now: number): SeenLease {
  const same = before !== undefined && canonicalJson(before.lease.spec ?? {}) === canonicalJson(lease.spec ?? {});
  return { lease, since: same ? before.since : now };
}

/**
 * Whether the lease can be taken: it is free, we already hold it, or its holder has not renewed it for its whole
 * duration.
 */
export function mayTake({ lease, since }: SeenLease, { identity, now }: { identity: string; now: number }): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity === '' || holderIdentity === identity || now - since >= leaseDurationSeconds * 1_000;
}

export interface Claim {
  readonly identity: string;
  readonly durationMs: number;
  /** By the wall clock, for people. */
  readonly wallNow: number;
  /** The number of our writes so far. */
  readonly writes: number;
}

/** The spec that takes or renews the lease. */
export function claimed(before: LeaseSpec | undefined, { identity, durationMs, wallNow, writes }: Claim): LeaseSpec {
  const renewed = {
    holderIdentity: identity,
    // Rounded up: others then wait longer than this process assumes.
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    renewTime: microTime(wallNow, writes),
  };
  const { leaseTransitions = 0, acquireTime = renewed.renewTime, holderIdentity } = before ?? {};
  if (holderIdentity === identity) return { ...renewed, acquireTime, leaseTransitions };
  return { ...renewed, acquireTime: renewed.renewTime, leaseTransitions: before ? leaseTransitions + 1 : 0 };
}

/** The spec that releases the lease: it can be taken at once. */
export function released({ leaseTransitions = 0 }: LeaseSpec, wallNow: number): LeaseSpec {
  return { leaseDurationSeconds: 1, renewTime: microTime(wallNow, 0), leaseTransitions };
}

/**
 * Kubernetes' MicroTime. Its last three digits count the writes: otherwise, with a clock that stands still, a renewal
 * would write an unchanged lease, and others could not see it.
 */
function microTime(wallNow: number, writes: number): string {
  return new Date(wallNow).toISOString().replace('Z', `${String(writes % 1_000).padStart(3, '0')}Z`);
}
