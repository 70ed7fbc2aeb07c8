import { hash } from 'node:crypto';
import { PkiError, readSigningRequest } from '#kit/pki';
import type { ProvenKey } from '../../application/ports.ts';
import { invalid } from '../../domain/enrolment-error.ts';

/** Throws `INVALID_ENROLMENT` unless it is a signing request, for a supported key, and signed with that key. */
export function provenKey(csr: string): ProvenKey {
  try {
    const spki = readSigningRequest(csr).export({ type: 'spki', format: 'der' });
    return { spki, hash: hash('sha256', spki, 'hex') };
  } catch (error) {
    if (!(error instanceof PkiError)) throw error;
    throw invalid('INVALID_ENROLMENT', [{ path: '/csr', message: `cannot be used: ${error.message}` }], error);
  }
}
