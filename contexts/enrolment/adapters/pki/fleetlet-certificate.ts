import type { X509Certificate } from 'node:crypto';
import type { CertificateAuthority } from '../../domain/authority.ts';
import { uidInUri } from '../../domain/fleetlet-names.ts';
import type { ReadAuthority } from './certificate-authorities.ts';

/** The contents of a certificate whose issuer was verified. */
export interface FleetletCertificate {
  readonly fleetlet: string;
  readonly serial: string;
  readonly authority: CertificateAuthority;
  readonly notBefore: number;
  readonly notAfter: number;
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** `undefined` when none of these authorities issued it, or when it is not for a fleetlet. */
export function fleetletCertificate(
  certificate: X509Certificate,
  authorities: readonly ReadAuthority[],
): FleetletCertificate | undefined {
  const by = authorities.find(({ x509 }) => certificate.checkIssued(x509) && certificate.verify(x509.publicKey));
  const fleetlet = uidOf(certificate);
  if (by === undefined || fleetlet === undefined || certificate.ca) return undefined;
  if (!certificate.keyUsage?.includes(CLIENT_AUTH)) return undefined;
  return {
    fleetlet,
    serial: certificate.serialNumber.toLowerCase(),
    authority: by.authority,
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
  };
}

/** Names in the platform's certificates contain neither commas nor quotes. */
function uidOf({ subjectAltName = '' }: X509Certificate): string | undefined {
  const uris = subjectAltName.split(', ').filter((name) => name.startsWith('URI:'));
  return uris.map((name) => uidInUri(name.slice('URI:'.length))).find((uid) => uid !== undefined);
}
