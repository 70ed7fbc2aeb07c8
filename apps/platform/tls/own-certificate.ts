import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, issueAuthorityCertificate, issueServerCertificate } from '#kit/pki';
import { Secret } from '#kit/std';
import { replaceFile } from '../durable-file.ts';
import type { CertificateSource, ServerCertificate } from './certificate-source.ts';
import { parseCertificate, parsePrivateKey, readIfThere, unusable } from './read-pem.ts';

export interface OwnCertificateOptions {
  readonly folder: string;
  /** DNS names and IP addresses that the server is reached by. */
  readonly names: readonly string[];
}

const DAY_MS = 86_400_000;
const AUTHORITY_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 90 * DAY_MS;
/** Clients whose clock is behind ours still accept it. */
const BACKDATED_MS = 5 * 60_000;

/**
 * An authority of our own and a server certificate signed by it. The authority stays for ten years, as every client has
 * to be told about it; the server's certificate is made anew whenever it does not fit any more, which nobody notices.
 *
 * The server's key and certificate share one file, so that no crash can leave a pair that does not match.
 */
export function ownCertificate({ folder, names }: OwnCertificateOptions): CertificateSource {
  const authorityFile = join(folder, 'ca.crt');
  const serverFile = join(folder, 'server.pem');
  return {
    authorityFile,
    current(now): ServerCertificate {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const authority = loadAuthority(folder, authorityFile, now);
      const kept = readIfThere(serverFile);
      if (kept !== undefined && stillFits(kept, { authority, names, now })) return toServed(kept);
      const made = makeServer(authority, names, now);
      replaceFile(serverFile, made, 0o600);
      return toServed(made);
    },
  };
}

interface KeptAuthority extends Authority {
  readonly certificate: X509Certificate;
}

function loadAuthority(folder: string, certificateFile: string, now: number): KeptAuthority {
  const keyFile = join(folder, 'ca.key');
  const startAfresh = `restore it from a backup, or delete ${folder} to begin with a new authority, which every client has to trust anew`;
  let certificatePem = readIfThere(certificateFile);
  let keyPem = readIfThere(keyFile);
  if (keyPem === undefined && certificatePem !== undefined) throw unusable(`${keyFile} is missing; ${startAfresh}`);
  if (keyPem === undefined) {
    keyPem = newKey();
    replaceFile(keyFile, keyPem, 0o600);
  }
  const key = parsePrivateKey(keyPem, keyFile, startAfresh);
  if (certificatePem === undefined) {
    // Also after a crash between the two files: the key is good, and nobody has seen a certificate of it yet.
    const name = `FleetShift authority ${fingerprint(key)}`;
    certificatePem = issueAuthorityCertificate(
      { name, key },
      new Date(now - BACKDATED_MS),
      new Date(now + AUTHORITY_LIFE_MS),
    );
    replaceFile(certificateFile, certificatePem, 0o644);
  }
  const certificate = parseCertificate(certificatePem, certificateFile, startAfresh);
  if (!certificate.checkPrivateKey(key))
    throw unusable(`${keyFile} is not the key of ${certificateFile}; ${startAfresh}`);
  if (certificate.validToDate.getTime() <= now) {
    throw unusable(`${certificateFile} expired on ${certificate.validToDate.toISOString()}; ${startAfresh}`);
  }
  return { name: certificate.subject.replace(/^CN=/, ''), key, certificate };
}

interface Wanted {
  readonly authority: KeptAuthority;
  readonly names: readonly string[];
  readonly now: number;
}

/** Anything wrong with our own server file is mended by making a new one. */
function stillFits(pem: string, { authority, names, now }: Wanted): boolean {
  try {
    const certificate = new X509Certificate(pem);
    const begin = certificate.validFromDate.getTime();
    const renewAt = begin + (2 / 3) * (certificate.validToDate.getTime() - begin);
    return (
      certificate.checkPrivateKey(createPrivateKey(pem)) &&
      certificate.checkIssued(authority.certificate) &&
      certificate.verify(authority.certificate.publicKey) &&
      names.every((name) => certificate.checkHost(name) !== undefined || certificate.checkIP(name) !== undefined) &&
      begin <= now &&
      now < renewAt
    );
  } catch {
    return false;
  }
}

function makeServer(authority: KeptAuthority, names: readonly string[], now: number): string {
  const keyPem = newKey();
  const certificate = issueServerCertificate(authority, {
    name: names[0] ?? 'localhost',
    names,
    publicKey: createPublicKey(keyPem),
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(Math.min(now + SERVER_LIFE_MS, authority.certificate.validToDate.getTime())),
  });
  return `${certificate}${keyPem}`;
}

/** Part of the name, so that two authorities on one machine are told apart. */
function fingerprint(key: KeyObject): string {
  return hash('sha256', createPublicKey(key).export({ type: 'spki', format: 'der' }), 'hex').slice(0, 8);
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function toServed(pem: string): ServerCertificate {
  const key = pem.slice(pem.indexOf('-----BEGIN PRIVATE KEY-----'));
  const chain = pem.slice(0, pem.length - key.length);
  return { chain, key: new Secret(key), notAfter: new X509Certificate(chain).validToDate };
}
