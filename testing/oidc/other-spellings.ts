import type { SigningAlgorithm } from './signing-issuer.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const ORDER_OF_P256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Other encodings of the same token, which most decoders and every ECDSA verifier accept. */
export function otherSpellings(token: string, alg: SigningAlgorithm): string[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const spellings = Array.from(BASE64URL, (last) => `${signature.slice(0, -1)}${last}`).filter(
    (each) => each !== signature && Buffer.from(each, 'base64url').equals(Buffer.from(signature, 'base64url')),
  );
  if (alg === 'ES256') spellings.push(withOtherRoot(signature));
  return spellings.map((each) => [header, payload, each].join('.'));
}

/** If (r, s) is a valid signature, so is (r, n - s). */
function withOtherRoot(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const other = Buffer.from((ORDER_OF_P256 - s).toString(16).padStart(64, '0'), 'hex');
  return Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url');
}
