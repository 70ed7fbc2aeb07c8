import type { ApiClient } from '../api-client.ts';
import type { Pod } from './pod.ts';

/** Entries that a kubelet looks up for a Pod. Bytes, since a Secret may hold any. */
export type Entries = ReadonlyMap<string, Buffer>;

export interface PodSources {
  /** Undefined where it does not exist. */
  secret(name: string, signal: AbortSignal): Promise<Entries | undefined>;
  configMap(name: string, signal: AbortSignal): Promise<Entries | undefined>;
  /** A token of the Pod's service account, bound to the Pod. */
  token(order: { audience?: string; expirationSeconds?: number }, signal: AbortSignal): Promise<string>;
}

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** The fraction of a token's lifetime after which a kubelet requests the next one. */
const RENEW_AFTER = 0.8;

export function podSources(api: ApiClient, { metadata, spec }: Pod): PodSources {
  const namespace = `/api/v1/namespaces/${metadata.namespace}`;
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid };
  const tokens = new Map<string, { readonly token: string; readonly renewAt: number }>();
  return {
    secret: async (name, signal) => {
      const secret = await api.find<{ data?: Record<string, string> }>(`${namespace}/secrets/${name}`, signal);
      return secret && new Map(decoded(secret.data, 'base64'));
    },
    configMap: async (name, signal) => {
      const map = await api.find<{ data?: Record<string, string>; binaryData?: Record<string, string> }>(
        `${namespace}/configmaps/${name}`,
        signal,
      );
      return map && new Map([...decoded(map.data, 'utf8'), ...decoded(map.binaryData, 'base64')]);
    },
    token: async (order, signal) => {
      const key = JSON.stringify(order);
      const known = tokens.get(key);
      if (known && Date.now() < known.renewAt) return known.token;
      const path = `${namespace}/serviceaccounts/${spec.serviceAccountName ?? 'default'}/token`;
      const { audience, expirationSeconds } = order;
      const request = { ...(audience && { audiences: [audience] }), expirationSeconds, boundObjectRef };
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: request };
      const { status } = await api.send<TokenAnswer>('POST', path, body, signal);
      const life = Date.parse(status.expirationTimestamp) - Date.now();
      tokens.set(key, { token: status.token, renewAt: Date.now() + RENEW_AFTER * life });
      return status.token;
    },
  };
}

function decoded(data: Record<string, string> | undefined, encoding: 'base64' | 'utf8'): [string, Buffer][] {
  return Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]);
}
