export {
  type CertificateToken,
  readCertificateToken,
  signCertificateToken,
  type TokenOrder,
} from './certificate-token.ts';
export {
  type Authority,
  issueAuthorityCertificate,
  issuePeerCertificate,
  issueServerCertificate,
  type PeerOrder,
  type ServerOrder,
} from './issue-certificate.ts';
export { PkiError, type PkiErrorCode } from './pki-error.ts';
export { createSigningRequest, readSigningRequest } from './signing-request.ts';
