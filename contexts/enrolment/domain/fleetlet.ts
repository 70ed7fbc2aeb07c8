import type { ResourceName, Uuid } from '#kit/std';
import type { CertificateMark } from './certificate-standing.ts';
import { EnrolmentError } from './enrolment-error.ts';
import type { Place } from './place.ts';

/** `Revoked` is permanent: a machine that enrols again becomes another fleetlet. */
export const FLEETLET_STATES = ['Active', 'Revoked'] as const;
export type FleetletState = (typeof FLEETLET_STATES)[number];

/** A process that serves targets. */
export interface Fleetlet {
  readonly uid: Uuid;
  readonly name: ResourceName;
  readonly workspace: Place;
  readonly state: FleetletState;
  /** How it enrolled; `undefined` for the fleetlet inside the platform. */
  readonly origin: FleetletOrigin | undefined;
  /** The newest certificate issued. The fleetlet may never have received it. */
  readonly certificate: IssuedCertificate | undefined;
  /** The newest certificate presented; earlier ones are refused. */
  readonly inUse: CertificateMark | undefined;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

export interface FleetletOrigin {
  /** The id of the bootstrap token. */
  readonly token: string;
  /** Of the key of its latest certificate: SHA-256 of the SPKI, in hex. */
  readonly keyHash: string;
}

export interface IssuedCertificate {
  readonly serial: string;
  readonly authority: Uuid;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The fleetlet inside the platform. */
export const EMBEDDED_NAME = 'platform';

export function newFleetlet(
  its: Pick<Fleetlet, 'uid' | 'name' | 'workspace' | 'origin' | 'certificate'>,
  now: number,
): Fleetlet {
  const { certificate } = its;
  const inUse = certificate && { serial: certificate.serial, notBefore: certificate.notBefore };
  return { ...its, inUse, state: 'Active', version: 1, createTime: now, updateTime: now };
}

/** Each of these functions returns the same object when nothing changes. */
export function withCertificate(
  fleetlet: Fleetlet,
  { certificate, keyHash }: { readonly certificate: IssuedCertificate; readonly keyHash: string },
  now: number,
): Fleetlet {
  const origin = fleetlet.origin && { ...fleetlet.origin, keyHash };
  return changed(fleetlet, { certificate, origin }, now);
}

export function revoked(fleetlet: Fleetlet, now: number): Fleetlet {
  if (fleetlet.origin === undefined) throw builtIn();
  return fleetlet.state === 'Revoked' ? fleetlet : changed(fleetlet, { state: 'Revoked' }, now);
}

/** For a change of its bindings: one etag covers everything that the API shows. */
export function touched(fleetlet: Fleetlet, now: number): Fleetlet {
  return changed(fleetlet, {}, now);
}

/** Whether the fleetlet could still connect or renew; if not, its targets can be taken over. */
export function isLive({ state, origin, certificate }: Fleetlet, { now, graceMs }: { now: number; graceMs: number }) {
  if (state === 'Revoked') return false;
  return origin === undefined || (certificate !== undefined && now < certificate.notAfter + graceMs);
}

export function builtIn(): EnrolmentError {
  return new EnrolmentError(
    'FLEETLET_BUILT_IN',
    `The fleetlet ${EMBEDDED_NAME} is part of the platform, and can be neither revoked nor deleted.`,
  );
}

function changed(fleetlet: Fleetlet, its: Partial<Fleetlet>, now: number): Fleetlet {
  // A clock that was set back must not make a change look older than the previous one.
  return { ...fleetlet, ...its, version: fleetlet.version + 1, updateTime: Math.max(now, fleetlet.updateTime) };
}
