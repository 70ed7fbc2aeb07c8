import { parseResourceName, type ResourceName, type Uuid } from '#kit/std';

const MAX_LENGTH = 63;
const TAIL = 8;

/** In the certificate: who it is, and what it is called by fleetlets that call it. */
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

/** People know a fleetlet by the first target that it came for. */
export function preferredName(targets: readonly { readonly name: string }[]): ResourceName {
  return parseResourceName(targets[0]?.name ?? 'fleetlet');
}

/** When the preferred one is taken: the end of a uid is chance. */
export function distinctName(preferred: string, uid: Uuid): ResourceName {
  const base = preferred.slice(0, MAX_LENGTH - TAIL - 1).replace(/-+$/, '');
  return parseResourceName(`${base}-${uid.slice(-TAIL)}`);
}
