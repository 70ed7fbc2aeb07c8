import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { createSigningRequest, signCertificateToken } from '#kit/pki';
import { uuidv7 } from '#kit/std';

/** A machine with a key that requests a certificate. */
export interface Machine {
  readonly key: KeyObject;
  readonly csr: string;
}

export function aMachine(): Machine {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { key, csr: createSigningRequest(key, 'whoever') };
}

/** A token signed by the holder of the certificate, as sent in a header. */
export async function tokenOf(
  { key }: Machine,
  certificate: string,
  { audience, now, id = uuidv7() }: { readonly audience: string; readonly now: number; readonly id?: string },
): Promise<string> {
  return await signCertificateToken({ certificate: new X509Certificate(certificate), key, audience, id, now });
}
