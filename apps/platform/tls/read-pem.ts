import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PlatformError } from '../platform-error.ts';

/** Reads a file that may not be there; what else goes wrong names the file. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unusable(`read ${file}: ${messageOf(cause)}`, cause);
  }
}

/** The first certificate of a PEM text. `what` names it in the message, and `advice` ends it. */
export function parseCertificate(pem: string, what: string, advice = 'mend it'): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw unusable(`${what} holds no certificate in PEM; ${advice}`, cause);
  }
}

export function parsePrivateKey(pem: string, what: string, advice = 'mend it'): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    // The cause of OpenSSL says nothing about the key itself, and neither do we.
    throw unusable(`${what} holds no private key in PEM that could be read without a passphrase; ${advice}`, cause);
  }
}

export function unusable(message: string, cause?: unknown): PlatformError {
  return new PlatformError('CERTIFICATE_UNUSABLE', message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
