import { isKubeError, type KubeErrorCode } from '#kit/kube';

/**
 * DECISION: for a cluster that cannot be served, users learn the kind of failure, in the platform's own words. Messages
 * of a server, a proxy or this machine's system about an address that a user named go to the log only: quoted to that
 * user, they would let the user probe the operator's network. (ADR-0046)
 */
const REASONS: Partial<Record<KubeErrorCode, string>> = {
  UNAUTHORIZED: 'the server does not accept the credentials of the kubeconfig',
  FORBIDDEN: 'the credentials of the kubeconfig lack permissions that the agent needs',
  CREDENTIALS_UNAVAILABLE: 'the credentials of the kubeconfig cannot be used',
  CERTIFICATE_REFUSED: 'the certificate of the server is not trusted',
  CONNECTION_REFUSED: 'a connection to the server could not be established',
  CONNECTION_LOST: 'the connection to the server was lost',
  PROXY_REFUSED: 'the proxy could not connect to the server',
  TIMED_OUT: 'the server did not answer in time',
  SERVER_TIMEOUT: 'the server did not answer in time',
  TOO_MANY_REQUESTS: 'the server accepts no more requests at the moment',
  SERVICE_UNAVAILABLE: 'the server is not available at the moment',
  SERVER_ERROR: 'the server failed',
};
const OTHER = 'the server does not respond like a Kubernetes API server';
const UNKNOWN = 'it cannot be served at the moment; see the log of the platform';

/** The platform's own refusals are shown in full. */
export function publicReason(error: unknown): string {
  if (!isKubeError(error)) return UNKNOWN;
  return error.code === 'ADDRESS_REFUSED' ? error.message : (REASONS[error.code] ?? OTHER);
}
