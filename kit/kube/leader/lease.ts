import { canonicalJson } from '#kit/std';
import type { KubeObject } from '../client/kube-object.ts';

export interface LeaseSpec {
  /** Absent: nobody holds it. */
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

/** A lease as it was read, and since when, by our own monotonic clock, it has said the same. */
export interface SeenLease {
  readonly lease: Lease;
  readonly since: number;
}

/**
 * DECISION: the times in a lease are for people. Whether it has run out is judged by how long we ourselves have seen it
 * unchanged, so that clocks which disagree can neither steal a lease nor keep a dead one.
 */
export function see(before: SeenLease | undefined, lease: Lease, now: number): SeenLease {
  const same = before !== undefined && canonicalJson(before.lease.spec ?? {}) === canonicalJson(lease.spec ?? {});
  return { lease, since: same ? before.since : now };
}

/** Whether it may be taken: nobody has it, we do already, or its holder has not renewed it for as long as it promised to. */
export function mayTake({ lease, since }: SeenLease, { identity, now }: { identity: string; now: number }): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity === '' || holderIdentity === identity || now - since >= leaseDurationSeconds * 1_000;
}

export interface Claim {
  readonly identity: string;
  readonly durationMs: number;
  /** By the wall clock, for people. */
  readonly wallNow: number;
  /** How often we have written. */
  readonly writes: number;
}

/** What we write to take it or to keep it. */
export function claimed(before: LeaseSpec | undefined, { identity, durationMs, wallNow, writes }: Claim): LeaseSpec {
  const renewed = {
    holderIdentity: identity,
    // Rounded up: others then wait longer than we count on.
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    renewTime: microTime(wallNow, writes),
  };
  const { leaseTransitions = 0, acquireTime = renewed.renewTime, holderIdentity } = before ?? {};
  if (holderIdentity === identity) return { ...renewed, acquireTime, leaseTransitions };
  return { ...renewed, acquireTime: renewed.renewTime, leaseTransitions: before ? leaseTransitions + 1 : 0 };
}

/** What we write to let go: anybody may take it at once. */
export function released({ leaseTransitions = 0 }: LeaseSpec, wallNow: number): LeaseSpec {
  return { leaseDurationSeconds: 1, renewTime: microTime(wallNow, 0), leaseTransitions };
}

/**
 * Kubernetes' MicroTime. Its last three digits count the writes: a renewal that wrote what is there already, under a clock
 * that stands still, would be no sign of life.
 */
function microTime(wallNow: number, writes: number): string {
  return new Date(wallNow).toISOString().replace('Z', `${String(writes % 1_000).padStart(3, '0')}Z`);
}
