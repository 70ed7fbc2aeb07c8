import type { ResourceName, Uuid } from '#kit/std';
import type { CertificateMark } from './certificate-standing.ts';
import { EnrolmentError } from './enrolment-error.ts';
import type { Place } from './place.ts';

/** `Revoked` is for ever: whoever is to come back enrols anew, and is another one then. */
export const FLEETLET_STATES = ['Active', 'Revoked'] as const;
export type FleetletState = (typeof FLEETLET_STATES)[number];

/** A process that speaks for targets. */
export interface Fleetlet {
  readonly uid: Uuid;
  readonly name: ResourceName;
  readonly workspace: Place;
  readonly state: FleetletState;
  /** Where it came from; `undefined` for the one inside the platform. */
  readonly origin: FleetletOrigin | undefined;
  /** The newest one that was issued. It may never have arrived. */
  readonly certificate: IssuedCertificate | undefined;
  /** The newest one that it showed; those before it are refused. */
  readonly inUse: CertificateMark | undefined;
  readonly version: number;
  readonly createTime: number;
  readonly updateTime: number;
}

export interface FleetletOrigin {
  /** The id of the bootstrap token. */
  readonly token: string;
  /** Of the key that it was last given a certificate for: SHA-256 of the SPKI, in hex. */
  readonly keyHash: string;
}

export interface IssuedCertificate {
  readonly serial: string;
  readonly authority: Uuid;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The one inside the platform. */
export const EMBEDDED_NAME = 'platform';

export function newFleetlet(
  its: Pick<Fleetlet, 'uid' | 'name' | 'workspace' | 'origin' | 'certificate'>,
  now: number,
): Fleetlet {
  const { certificate } = its;
  const inUse = certificate && { serial: certificate.serial, notBefore: certificate.notBefore };
  return { ...its, inUse, state: 'Active', version: 1, createTime: now, updateTime: now };
}

/** Each of these returns the very same value when nothing changes. */
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

/** For a change of what belongs to it: everything that the API shows has the etag in common. */
export function touched(fleetlet: Fleetlet, now: number): Fleetlet {
  return changed(fleetlet, {}, now);
}

/** One that can never come back by itself stands in nobody's way. */
export function isLive({ state, origin, certificate }: Fleetlet, { now, graceMs }: { now: number; graceMs: number }) {
  if (state === 'Revoked') return false;
  return origin === undefined || (certificate !== undefined && now < certificate.notAfter + graceMs);
}

export function builtIn(): EnrolmentError {
  return new EnrolmentError(
    'FLEETLET_BUILT_IN',
    `The fleetlet ${EMBEDDED_NAME} is a part of the platform, and can be neither revoked nor deleted.`,
  );
}

function changed(fleetlet: Fleetlet, its: Partial<Fleetlet>, now: number): Fleetlet {
  // A clock that was set back must not make a change look older than the one before it.
  return { ...fleetlet, ...its, version: fleetlet.version + 1, updateTime: Math.max(now, fleetlet.updateTime) };
}
