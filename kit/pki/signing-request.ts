import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, SubjectPublicKeyInfo } from '@peculiar/asn1-x509';
import { acceptedKeyKind, KEY_KINDS, type KeyKind } from './accepted-key.ts';
import { commonName } from './common-name.ts';
import { derOf, pemOf } from './pem.ts';
import { PkiError } from './pki-error.ts';

/**
 * Creates a certificate signing request (PKCS #10). The reader takes only the key from it; the subject of the
 * certificate comes from elsewhere.
 */
export function createSigningRequest(key: KeyObject, name: string): string {
  const publicKey = createPublicKey(key);
  const kind = acceptedKeyKind(publicKey);
  if (kind === undefined) throw refusedKey();
  const info = new CertificationRequestInfo({
    version: 0,
    subject: commonName(name),
    subjectPKInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    attributes: new Attributes(),
  });
  const { digest, algorithm } = KEY_KINDS[kind].signs;
  const signature = sign(digest, Buffer.from(AsnConvert.serialize(info)), key);
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm, ...(kind === 'rsa' ? { parameters: NULL } : {}) }),
    signature: new Uint8Array(signature).buffer,
  });
  return pemOf('CERTIFICATE REQUEST', new Uint8Array(AsnConvert.serialize(request)));
}

/** Returns the key of a request, after its signature has proved that the requester holds the private key. */
export function readSigningRequest(pem: string): KeyObject {
  const request = parse(pem);
  const key = keyIn(request);
  const kind = acceptedKeyKind(key);
  if (kind === undefined) throw refusedKey();
  const raw = request.certificationRequestInfoRaw;
  const digest = digestOf(kind, request.signatureAlgorithm.algorithm);
  if (raw === undefined || !isSigned({ key, digest, raw, signature: request.signature })) {
    throw new PkiError('REQUEST_NOT_SIGNED', 'the signing request is not signed by the key that it is for');
  }
  return key;
}

/** A request with the largest accepted key has 3 KB. The bound limits how much is parsed for any caller. */
const MAX_CHARS = 16_384;
const NULL = new Uint8Array([5, 0]).buffer;

function parse(pem: string): CertificationRequest {
  if (pem.length > MAX_CHARS) throw malformed(`it is longer than ${MAX_CHARS} characters`);
  const der = derOf('CERTIFICATE REQUEST', pem);
  if (der === undefined) throw malformed('it is no PEM block CERTIFICATE REQUEST');
  try {
    return AsnConvert.parse(der, CertificationRequest);
  } catch (cause) {
    throw malformed('what is in it is no PKCS #10 request', cause);
  }
}

function keyIn(request: CertificationRequest): KeyObject {
  try {
    const spki = Buffer.from(AsnConvert.serialize(request.certificationRequestInfo.subjectPKInfo));
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch (cause) {
    throw malformed('its key cannot be read', cause);
  }
}

/** `null` for algorithms with a built-in digest. */
function digestOf(kind: KeyKind, algorithm: string): string | null {
  const digest = KEY_KINDS[kind].takes[algorithm];
  if (digest !== undefined) return digest;
  throw new PkiError('REQUEST_NOT_SIGNED', `the signing request is signed by ${algorithm}, which is not accepted`);
}

interface Signed {
  readonly key: KeyObject;
  readonly digest: string | null;
  readonly raw: ArrayBuffer;
  readonly signature: ArrayBuffer;
}

/** A malformed signature counts as one that does not match. */
function isSigned({ key, digest, raw, signature }: Signed): boolean {
  try {
    return verify(digest, Buffer.from(raw), key, Buffer.from(signature));
  } catch {
    return false;
  }
}

function malformed(why: string, cause?: unknown): PkiError {
  return new PkiError('REQUEST_MALFORMED', `read the signing request: ${why}`, { cause });
}

function refusedKey(): PkiError {
  return new PkiError(
    'KEY_REFUSED',
    'the key is not accepted: use EC P-256 or P-384, Ed25519, or RSA of 2048 to 8192 bits',
  );
}
