import type { KeyObject } from 'node:crypto';

export type KeyKind = 'p256' | 'p384' | 'ed25519' | 'rsa';

interface KeyRules {
  /** How FleetShift signs its own requests. */
  readonly signs: { readonly digest: string | null; readonly algorithm: string };
  /** Signature algorithms that are accepted from others: digests by object identifier. */
  readonly takes: Readonly<Record<string, string | null>>;
  /** The algorithm of tokens signed by this key. */
  readonly jws: string;
}

const ECDSA = { '1.2.840.10045.4.3.2': 'sha256', '1.2.840.10045.4.3.3': 'sha384', '1.2.840.10045.4.3.4': 'sha512' };
const RSA = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
};
const ED25519 = '1.3.101.112';
const MIN_RSA_BITS = 2048;
/** Verifying larger keys takes so long that a client could exhaust the CPU with it. */
const MAX_RSA_BITS = 8192;

export const KEY_KINDS: Readonly<Record<KeyKind, KeyRules>> = {
  p256: { signs: { digest: 'sha256', algorithm: '1.2.840.10045.4.3.2' }, takes: ECDSA, jws: 'ES256' },
  p384: { signs: { digest: 'sha384', algorithm: '1.2.840.10045.4.3.3' }, takes: ECDSA, jws: 'ES384' },
  ed25519: { signs: { digest: null, algorithm: ED25519 }, takes: { [ED25519]: null }, jws: 'EdDSA' },
  rsa: { signs: { digest: 'sha256', algorithm: '1.2.840.113549.1.1.11' }, takes: RSA, jws: 'RS256' },
};

const CURVES: Readonly<Record<string, KeyKind>> = { prime256v1: 'p256', secp384r1: 'p384' };

/** `undefined` for a key that is too weak, or of a kind that is not widely supported. */
export function acceptedKeyKind({
  asymmetricKeyType: type,
  asymmetricKeyDetails: its,
}: KeyObject): KeyKind | undefined {
  const { namedCurve = '', modulusLength = 0 } = its ?? {};
  if (type === 'ec') return Object.hasOwn(CURVES, namedCurve) ? CURVES[namedCurve] : undefined;
  if (type === 'ed25519') return 'ed25519';
  const isStrong = modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS;
  return type === 'rsa' && isStrong ? 'rsa' : undefined;
}
