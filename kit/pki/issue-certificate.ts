import { createPublicKey, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
} from '@peculiar/asn1-x509';
import { commonName } from './common-name.ts';
import { pemOf } from './pem.ts';

/** The issuing authority. Its key is a P-256 key. */
export interface Authority {
  readonly name: string;
  readonly key: KeyObject;
}

interface Order {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The authority's own certificate. It may sign server and client certificates, but no intermediate authorities. */
export function issueAuthorityCertificate(authority: Authority, notBefore: Date, notAfter: Date): string {
  const publicKey = createPublicKey(authority.key);
  return issue(authority, { name: authority.name, publicKey, notBefore, notAfter }, [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(id_ce_keyUsage, keyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
  ]);
}

export interface ServerOrder extends Order {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
}

export function issueServerCertificate(authority: Authority, order: ServerOrder): string {
  const names = order.names.map((name) => new GeneralName(isIP(name) === 0 ? { dNSName: name } : { iPAddress: name }));
  return issue(authority, order, [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, keyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth]), false),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names), false),
  ]);
}

export interface PeerOrder extends Order {
  /** The identity of the peer, as a URI. */
  readonly uri: string;
  /** The name under which clients call the peer. */
  readonly dnsName: string;
}

/** For a peer that acts both as client and as server. */
export function issuePeerCertificate(authority: Authority, order: PeerOrder): string {
  const names = [
    new GeneralName({ uniformResourceIdentifier: order.uri }),
    new GeneralName({ dNSName: order.dnsName }),
  ];
  return issue(authority, order, [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, keyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_clientAuth, id_kp_serverAuth]), false),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names), false),
  ]);
}

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const VERSION_3 = 2;

function issue(authority: Authority, order: Order, extensions: readonly Extension[]): string {
  const signature = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const body = new TBSCertificate({
    version: VERSION_3,
    serialNumber: serialNumber(),
    signature,
    issuer: commonName(authority.name),
    validity: new Validity({ notBefore: order.notBefore, notAfter: order.notAfter }),
    subject: commonName(order.name),
    subjectPublicKeyInfo: AsnConvert.parse(spki(order.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyId(order.publicKey)), false),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId(createPublicKey(authority.key))) }),
        false,
      ),
    ]),
  });
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(body)), { key: authority.key, dsaEncoding: 'der' });
  const certificate = new Certificate({
    tbsCertificate: body,
    signatureAlgorithm: signature,
    signatureValue: bytes(signed),
  });
  return pemOf('CERTIFICATE', Buffer.from(AsnConvert.serialize(certificate)));
}

function extension(id: string, value: unknown, critical: boolean): Extension {
  return new Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function keyUsage(flags: number): KeyUsage {
  return new KeyUsage(flags);
}

/** Sixteen random bytes as a positive number: the top bit is clear, and the first byte is never zero. */
function serialNumber(): ArrayBuffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return bytes(serial);
}

function keyId(key: KeyObject): Uint8Array {
  return hash('sha256', spki(key), 'buffer').subarray(0, 20);
}

function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function bytes(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer;
}
