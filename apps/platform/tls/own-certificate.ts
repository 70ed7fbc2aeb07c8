import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, issueAuthorityCertificate, issueServerCertificate } from '#kit/pki';
import { Secret } from '#kit/std';
import { replaceFile } from '#runtime/process/durable-file';
import type { CertificateSource, ServerCertificate } from './certificate-source.ts';
import { parseCertificate, parsePrivateKey, readIfThere, unusable } from './read-pem.ts';

export interface OwnCertificateOptions {
  readonly folder: string;
  /** DNS names and IP addresses under which the server is reached. */
  readonly names: readonly string[];
  /** The authority that all replicas share; otherwise one is kept in the folder. */
  readonly authority?: AuthorityPem | undefined;
}

/** The certificate and the key of an authority. */
export interface AuthorityPem {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const AUTHORITY_LIFE_MS = 3_650 * DAY_MS;
const SERVER_LIFE_MS = 90 * DAY_MS;
/** So that clients whose clock is behind accept it. */
const BACKDATED_MS = 5 * 60_000;
/** So that a clock that is set back, here or at a client, does not make it invalid. */
const AUTHORITY_BACKDATED_MS = 30 * DAY_MS;

/**
 * A private authority and a server certificate signed by it. The authority lives for ten years, as every client has to
 * trust it; the server certificate is replaced whenever it no longer fits, without any effect on clients.
 *
 * The server's key and certificate share one file, so that a crash cannot leave a mismatched pair.
 */
export function ownCertificate({ folder, names, authority: shared }: OwnCertificateOptions): CertificateSource {
  const authorityFile = join(folder, 'ca.crt');
  const serverFile = join(folder, 'server.pem');
  return {
    authorityFile,
    current(now): ServerCertificate {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const authority =
        shared === undefined
          ? loadAuthority(folder, authorityFile, now)
          : sharedAuthorityIn(authorityFile, shared, now);
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

/**
 * For an instance whose replicas share an authority: the one in the folder of the first that starts, so that clients keep
 * trusting it, or a new one.
 */
export function firstAuthority(folder: string, now: number): AuthorityPem {
  const [certificateFile, keyFile] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
  // The certificate alone is what a replica keeps of a shared authority.
  if (readIfThere(keyFile) === undefined) return newAuthority(newKey(), now);
  // Refused before it is sealed for all replicas, where it could not be corrected any more.
  loadAuthority(folder, certificateFile, now);
  return { certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function newAuthority(key: string, now: number): AuthorityPem {
  const privateKey = createPrivateKey(key);
  const certificate = issueAuthorityCertificate(
    { name: `FleetShift authority ${fingerprint(privateKey)}`, key: privateKey },
    new Date(now - AUTHORITY_BACKDATED_MS),
    new Date(now + AUTHORITY_LIFE_MS),
  );
  return { certificate, key };
}

/** Only its certificate is written to the folder, for clients on this machine. */
function sharedAuthorityIn(certificateFile: string, shared: AuthorityPem, now: number): KeptAuthority {
  const where = 'the database';
  const remedy = 'restore a backup of the database';
  const key = parsePrivateKey(shared.key, where, remedy);
  const certificate = parseCertificate(shared.certificate, where, remedy);
  if (!certificate.checkPrivateKey(key)) throw unusable(`the authority in ${where} has another key; ${remedy}`);
  if (certificate.validToDate.getTime() <= now) {
    throw unusable(`the authority in ${where} expired on ${certificate.validToDate.toISOString()}; ${remedy}`);
  }
  if (readIfThere(certificateFile) !== shared.certificate) replaceFile(certificateFile, shared.certificate, 0o644);
  return { name: nameOf(certificate), key, certificate };
}

function nameOf(certificate: X509Certificate): string {
  return certificate.subject.replace(/^CN=/, '');
}

function loadAuthority(folder: string, certificateFile: string, now: number): KeptAuthority {
  const keyFile = join(folder, 'ca.key');
  const startAfresh = `restore it from a backup, or delete ${folder} to create a new authority, which every client then has to trust`;
  let certificatePem = readIfThere(certificateFile);
  let keyPem = readIfThere(keyFile);
  if (keyPem === undefined && certificatePem !== undefined) throw unusable(`${keyFile} is missing; ${startAfresh}`);
  if (keyPem === undefined) {
    keyPem = newKey();
    replaceFile(keyFile, keyPem, 0o600);
  }
  const key = parsePrivateKey(keyPem, keyFile, startAfresh);
  if (certificatePem === undefined) {
    // Also after a crash between the two files: the key is good, and no certificate of it has been used yet.
    certificatePem = newAuthority(keyPem, now).certificate;
    replaceFile(certificateFile, certificatePem, 0o644);
  }
  const certificate = parseCertificate(certificatePem, certificateFile, startAfresh);
  if (!certificate.checkPrivateKey(key))
    throw unusable(`${keyFile} is not the key of ${certificateFile}; ${startAfresh}`);
  if (!certificate.ca) throw unusable(`${certificateFile} is not the certificate of an authority; ${startAfresh}`);
  if (certificate.validToDate.getTime() <= now) {
    throw unusable(`${certificateFile} expired on ${certificate.validToDate.toISOString()}; ${startAfresh}`);
  }
  return { name: nameOf(certificate), key, certificate };
}

interface Wanted {
  readonly authority: KeptAuthority;
  readonly names: readonly string[];
  readonly now: number;
}

/** Any defect of the own server file is repaired by creating a new one. */
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

/** Part of the name, to distinguish two authorities on one machine. */
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
