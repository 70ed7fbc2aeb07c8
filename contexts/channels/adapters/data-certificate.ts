import { X509Certificate } from 'node:crypto';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const URI = /^URI:fleetshift:\/\/fleetlet\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The fleetlet of this client certificate (DER), if one of the authorities (PEM) vouches for it now. Revocation is checked by
 * the platform, which issues no ticket to a revoked fleetlet.
 */
export function fleetletOfCertificate(der: Uint8Array, authorities: string, now: number): string | undefined {
  const certificate = read(der);
  if (certificate === undefined || certificate.ca || !isWithin(certificate, now)) return undefined;
  if (!certificate.keyUsage?.includes(CLIENT_AUTH)) return undefined;
  const isVouchedFor = (authorities.match(PEM) ?? []).some((pem) => {
    const authority = read(pem);
    if (authority === undefined || !isWithin(authority, now)) return false;
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
  return isVouchedFor ? uidOf(certificate) : undefined;
}

function read(from: Uint8Array | string): X509Certificate | undefined {
  try {
    return new X509Certificate(from);
  } catch {
    return undefined;
  }
}

function isWithin({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now < validToDate.getTime();
}

/** Safe to split: names in certificates of the platform contain neither commas nor quotes. */
function uidOf({ subjectAltName = '' }: X509Certificate): string | undefined {
  for (const name of subjectAltName.split(', ')) {
    const [, uid] = URI.exec(name) ?? [];
    if (uid !== undefined) return uid;
  }
  return undefined;
}
