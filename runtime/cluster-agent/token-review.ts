import type { LocalAuthenticator, LocalIdentity } from '#contexts/channels';
import type { KubeClient } from '#kit/kube';

export interface TokenReviewDeps {
  readonly client: Pick<KubeClient, 'request'>;
  /** Required audiences of the tokens, so that a token leaked elsewhere is useless here. */
  readonly audiences: readonly string[];
}

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: { readonly username?: string };
    readonly audiences?: readonly string[];
  };
}

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';
const REVIEW_MS = 5_000;
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+:[^:]+)$/;

/**
 * Authenticates Pods by the token of their service account, which the API server reviews. It is passed to the fleetlet,
 * because the fleetlet must not depend on Kubernetes.
 */
export function createTokenReviewAuthenticator({ client, audiences }: TokenReviewDeps): LocalAuthenticator {
  return {
    identify: async ({ headers }, signal) => {
      const token = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1];
      if (token === undefined)
        return unknown('the token of a service account is needed: authorization: Bearer <token>');
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: [...audiences] },
      };
      const within = AbortSignal.any([signal, AbortSignal.timeout(REVIEW_MS)]);
      return judged(await client.request<TokenReview>({ method: 'POST', path: PATH, body }, within), audiences);
    },
  };
}

function judged({ status }: TokenReview, audiences: readonly string[]): LocalIdentity {
  if (status?.authenticated !== true) return unknown('the API server does not know this token');
  // An API server without audience support returns none, and accepts every token.
  if (!audiences.some((audience) => status.audiences?.includes(audience))) {
    return unknown(`this token is not for ${audiences.join(' or ')}`);
  }
  const account = SERVICE_ACCOUNT.exec(status.user?.username ?? '')?.[1];
  return account === undefined
    ? unknown('this token is not of a service account')
    : { kind: 'known', identity: `serviceaccount:${account}` };
}

function unknown(message: string): LocalIdentity {
  return { kind: 'unknown', message };
}
