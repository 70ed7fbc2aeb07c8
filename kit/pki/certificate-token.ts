import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { acceptedKeyKind, KEY_KINDS } from './accepted-key.ts';
import { PkiError } from './pki-error.ts';

export interface TokenOrder {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** The purpose of the token; it is refused for any other. */
  readonly audience: string;
  readonly id: string;
  readonly now: number;
}

export interface CertificateToken {
  /** The certificate whose key signed the token. The caller decides whether it is trusted. */
  readonly certificate: X509Certificate;
  readonly id: string;
  /** The token is refused after this time, so its id need not be remembered for longer. */
  readonly until: number;
}

const LIFE_S = 60;
/** Tolerated difference between the clocks of signer and reader. */
const SKEW_S = 300;
const MAX_CHARS = 16 * 1024;
const MAX_ID_CHARS = 128;

/**
 * A short-lived proof of possession of a certificate's key, for where TLS cannot ask for a client certificate: a JWT
 * with the certificate in its header (`x5c`), signed by the certificate's key.
 */
export async function signCertificateToken({ certificate, key, audience, id, now }: TokenOrder): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  return await new SignJWT()
    .setProtectedHeader({ alg: algorithmOf(createPublicKey(key)), x5c: [certificate.raw.toString('base64')] })
    .setAudience(audience)
    .setJti(id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key);
}

/**
 * Checks that the token is recent, is meant for this audience and was signed by the key of its certificate. Does not
 * check the certificate itself, nor whether the token was used before.
 */
export async function readCertificateToken(
  text: string,
  { audience, now }: { readonly audience: string; readonly now: number },
): Promise<CertificateToken> {
  try {
    if (text.length > MAX_CHARS) throw new TypeError('it is too long');
    const certificate = certificateIn(text);
    const { publicKey } = certificate;
    const { payload } = await jwtVerify(text, publicKey, {
      algorithms: [algorithmOf(publicKey)],
      audience,
      requiredClaims: ['jti', 'iat', 'exp', 'aud'],
      clockTolerance: SKEW_S,
      // Bounds the age even if the signer set a later expiry.
      maxTokenAge: LIFE_S,
      currentDate: new Date(now),
    });
    const { jti = '', iat = 0 } = payload;
    if (jti.length === 0 || jti.length > MAX_ID_CHARS) throw new TypeError('its id is empty or too long');
    return { certificate, id: jti, until: (iat + LIFE_S + SKEW_S) * 1000 };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PkiError('TOKEN_REFUSED', `read a token that is signed by a certificate: ${why}`, { cause });
  }
}

function certificateIn(text: string): X509Certificate {
  const [first] = decodeProtectedHeader(text).x5c ?? [];
  if (typeof first !== 'string') throw new TypeError('there is no certificate in its header');
  return new X509Certificate(Buffer.from(first, 'base64'));
}

function algorithmOf(key: KeyObject): string {
  const kind = acceptedKeyKind(key);
  if (kind === undefined) throw new TypeError('its key is of a kind that is not accepted');
  return KEY_KINDS[kind].jws;
}
