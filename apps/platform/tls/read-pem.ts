import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PlatformError } from '../platform-error.ts';

/** `undefined` for a missing file; other errors name the file. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unusable(`read ${file}: ${messageOf(cause)}`, cause);
  }
}

/** The first certificate of a PEM text. `what` names it in the error message, `advice` ends the message. */
export function parseCertificate(pem: string, what: string, advice = 'mend it'): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw unusable(`${what} contains no certificate in PEM; ${advice}`, cause);
  }
}

export function parsePrivateKey(pem: string, what: string, advice = 'mend it'): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    // OpenSSL's cause reveals nothing about the key itself, and neither does this message.
    throw unusable(`${what} contains no private key in PEM that can be read without a passphrase; ${advice}`, cause);
  }
}

export function unusable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('CERTIFICATE_UNUSABLE', message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
