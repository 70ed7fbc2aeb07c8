import { parseResourceName, type ResourceName, type Uuid } from '#kit/std';

const MAX_LENGTH = 63;
const TAIL = 8;

/**
 * The names in the certificate: the URI is the identity, the DNS name is for direct connections from other fleetlets.
 */
export function fleetletUri(uid: string): string {
  return `fleetshift://fleetlet/${uid}`;
}

export function fleetletDnsName(uid: string): string {
  return `${uid}.fleetlet.fleetshift.internal`;
}

const URI = /^fleetshift:\/\/fleetlet\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function uidInUri(uri: string): string | undefined {
  return URI.exec(uri)?.[1];
}

/** Named after its first target. */
export function preferredName(targets: readonly { readonly name: string }[]): ResourceName {
  return parseResourceName(targets[0]?.name ?? 'fleetlet');
}

/** For when the preferred name is taken: the end of a uid is random. */
export function distinctName(preferred: string, uid: Uuid): ResourceName {
  const base = preferred.slice(0, MAX_LENGTH - TAIL - 1).replace(/-+$/, '');
  return parseResourceName(`${base}-${uid.slice(-TAIL)}`);
}
