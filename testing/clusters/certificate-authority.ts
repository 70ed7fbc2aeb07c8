import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
} from '@peculiar/asn1-x509';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Names as Kubernetes interprets them: the common name is the user, the organisations are the groups. */
interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

const AUTHORITY_NAME = 'cluster authority';

export function makeAuthority(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = issue({ issuerKey: privateKey, subject: { commonName: AUTHORITY_NAME }, publicKey }, [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature), true),
  ]);
  return { cert, key: pemOf(privateKey) };
}

/** Issues a certificate for a server with these DNS names and IP addresses. */
export function issueServerPair(authority: KeyPair, names: readonly string[]): KeyPair {
  const sans = names.map((name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }));
  return issuePair(authority, { commonName: names[0] ?? '' }, [
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth]), false),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(sans), false),
  ]);
}

export function issueClientPair(authority: KeyPair, user: string, groups: readonly string[]): KeyPair {
  return issuePair(authority, { commonName: user, organizations: groups }, [
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_clientAuth]), false),
  ]);
}

/** A key pair for signing tokens. */
export function makeSigningKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })), privateKey: pemOf(privateKey) };
}

function issuePair(authority: KeyPair, subject: Subject, extensions: readonly Extension[]): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = issue({ issuerKey: createPrivateKey(authority.key), subject, publicKey }, [
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    ...extensions,
  ]);
  return { cert, key: pemOf(privateKey) };
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const VERSION_3 = 2;
const HOUR_MS = 3_600_000;

interface Order {
  readonly issuerKey: KeyObject;
  readonly subject: Subject;
  readonly publicKey: KeyObject;
}

/** Valid for a day, starting an hour ago in case clocks differ. */
function issue({ issuerKey, subject, publicKey }: Order, extensions: readonly Extension[]): string {
  const signature = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const body = new TBSCertificate({
    version: VERSION_3,
    serialNumber: serialNumber(),
    signature,
    issuer: nameOf({ commonName: AUTHORITY_NAME }),
    validity: new Validity({
      notBefore: new Date(Date.now() - HOUR_MS),
      notAfter: new Date(Date.now() + 24 * HOUR_MS),
    }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions([...extensions]),
  });
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(body)), { key: issuerKey, dsaEncoding: 'der' });
  const certificate = new Certificate({
    tbsCertificate: body,
    signatureAlgorithm: signature,
    signatureValue: new Uint8Array(signed).buffer,
  });
  const lines =
    Buffer.from(AsnConvert.serialize(certificate))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function extension(id: string, value: unknown, critical: boolean): Extension {
  return new Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function nameOf({ commonName, organizations = [] }: Subject): Name {
  const part = (type: string, text: string): RelativeDistinguishedName =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: text }) }),
    ]);
  return new Name([...organizations.map((group) => part(ORGANIZATION, group)), part(COMMON_NAME, commonName)]);
}

/** Positive, and its first byte is never zero. */
function serialNumber(): ArrayBuffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return new Uint8Array(serial).buffer;
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}
