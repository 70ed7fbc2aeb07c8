import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { issueAuthorityCertificate, issueServerCertificate } from '#kit/pki';

/** A CA and a server certificate signed by it, in PEM, by their keys in a Secret. */
export interface OwnCertificate {
  readonly 'ca.crt': string;
  readonly 'ca.key': string;
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 90 * DAY_MS;
/** Backdated, so that API servers whose clock is behind ours accept it. */
const BACKDATED_MS = 5 * 60_000;
const AUTHORITY_NAME = 'FleetShift ClusterResourceSet webhooks';

export interface Wanted {
  /** Host names under which the API server calls the server. */
  readonly names: readonly string[];
  readonly now: number;
}

/**
 * The stored certificate if it is valid, otherwise with a new server certificate. The CA is replaced only if it is
 * expiring or broken, because the API server has to be told about it.
 */
export function renewedCertificate(kept: Partial<OwnCertificate>, wanted: Wanted): OwnCertificate {
  if (isWhole(kept) && serverFits(kept, wanted)) return kept;
  const authority = authorityFits(kept, wanted.now) ? kept : newAuthority(wanted.now);
  return { ...authority, ...newServer(authority, wanted) };
}

type AuthorityPair = Pick<OwnCertificate, 'ca.crt' | 'ca.key'>;

function isWhole(kept: Partial<OwnCertificate>): kept is OwnCertificate {
  return [kept['ca.crt'], kept['ca.key'], kept['tls.crt'], kept['tls.key']].every((part) => part !== undefined);
}

/** Anything wrong with what we wrote ourselves is fixed by writing it again. */
function fits(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function authorityFits(kept: Partial<OwnCertificate>, now: number): kept is AuthorityPair {
  const { 'ca.crt': certificate, 'ca.key': key } = kept;
  if (certificate === undefined || key === undefined) return false;
  return fits(() => {
    const authority = new X509Certificate(certificate);
    return authority.checkPrivateKey(createPrivateKey(key)) && now < renewTime(authority);
  });
}

function serverFits(kept: OwnCertificate, { names, now }: Wanted): boolean {
  if (!authorityFits(kept, now)) return false;
  return fits(() => {
    const authority = new X509Certificate(kept['ca.crt']);
    const server = new X509Certificate(kept['tls.crt']);
    return (
      server.checkPrivateKey(createPrivateKey(kept['tls.key'])) &&
      server.verify(authority.publicKey) &&
      names.every((name) => server.checkHost(name) !== undefined || server.checkIP(name) !== undefined) &&
      now < renewTime(server)
    );
  });
}

/** After two thirds of its lifetime, which leaves time for many attempts. */
function renewTime({ validFromDate, validToDate }: X509Certificate): number {
  const begin = validFromDate.getTime();
  return begin + (2 / 3) * (validToDate.getTime() - begin);
}

function newAuthority(now: number): AuthorityPair {
  const key = newKey();
  const from = new Date(now - BACKDATED_MS);
  const until = new Date(now + AUTHORITY_LIFE_MS);
  const authority = { name: AUTHORITY_NAME, key: createPrivateKey(key) };
  return { 'ca.crt': issueAuthorityCertificate(authority, from, until), 'ca.key': key };
}

function newServer(authority: AuthorityPair, { names, now }: Wanted): Pick<OwnCertificate, 'tls.crt' | 'tls.key'> {
  const key = newKey();
  const issuer = { name: AUTHORITY_NAME, key: createPrivateKey(authority['ca.key']) };
  const until = new X509Certificate(authority['ca.crt']).validToDate.getTime();
  const certificate = issueServerCertificate(issuer, {
    name: names[0] ?? '',
    names,
    publicKey: createPublicKey(key),
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(Math.min(now + SERVER_LIFE_MS, until)),
  });
  return { 'tls.crt': certificate, 'tls.key': key };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
