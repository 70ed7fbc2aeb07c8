import { isKubeError, type KubeErrorCode } from '#kit/kube';

/**
 * DECISION: of a cluster that cannot be served users learn the kind of failure, in our own words. What a server, a proxy
 * or the system of this machine says about an address that a user named is for the log: quoted to that user, it makes the
 * platform a way to look into the operator's network. (ADR-0046)
 */
const REASONS: Partial<Record<KubeErrorCode, string>> = {
  UNAUTHORIZED: 'the server does not accept the credentials of the kubeconfig',
  FORBIDDEN: 'the credentials of the kubeconfig lack permissions that the agent needs',
  CREDENTIALS_UNAVAILABLE: 'the credentials of the kubeconfig cannot be used',
  CERTIFICATE_REFUSED: 'the certificate of the server is not trusted',
  CONNECTION_REFUSED: 'no connection to the server came about',
  CONNECTION_LOST: 'the connection to the server was lost',
  PROXY_REFUSED: 'the proxy made no connection to the server',
  TIMED_OUT: 'the server did not answer in time',
  SERVER_TIMEOUT: 'the server did not answer in time',
  TOO_MANY_REQUESTS: 'the server takes no more requests at the moment',
  SERVICE_UNAVAILABLE: 'the server is not available at the moment',
  SERVER_ERROR: 'the server failed',
};
const OTHER = 'the server does not answer as a Kubernetes API server does';
const UNKNOWN = 'it cannot be served at the moment; the log of the platform says why';

/** Of our own refusals the whole sentence. */
export function publicReason(error: unknown): string {
  if (!isKubeError(error)) return UNKNOWN;
  return error.code === 'ADDRESS_REFUSED' ? error.message : (REASONS[error.code] ?? OTHER);
}
