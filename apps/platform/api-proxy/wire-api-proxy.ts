import type { SessionHub } from '#contexts/channels';
import type { Identity, TargetPlace } from '#contexts/identity/adapters';
import type { Authenticator, OpenStreams } from '#kit/http';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Access } from '../access/open-access.ts';
import type { PlatformConfig } from '../config.ts';
import { type ApiProxy, openApiProxy } from './open-api-proxy.ts';

export interface WireApiProxyDeps {
  readonly config: Pick<PlatformConfig, 'rateLimit' | 'trustProxy'>;
  readonly hub: SessionHub;
  readonly access: Access;
  readonly authenticator: Authenticator;
  readonly identity: Pick<Identity, 'authenticateAt'>;
  readonly streams: OpenStreams;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Wires the proxy to targets, grants and usage. */
export function wireApiProxy({ config, access, identity, ...deps }: WireApiProxyDeps): ApiProxy {
  const { index, authorizer, audit, meter } = access;
  const targetOf = (name: string): TargetPlace | undefined => {
    const [target, workspace] = index.lineageOf({ kind: 'target', name });
    return target && workspace && { uid: target.uid, workspace: workspace.name };
  };
  return openApiProxy({
    ...deps,
    authorizer,
    audit,
    targetOf,
    catchUp: (name, signal) => access.catchUp({ kind: 'target', name }, signal),
    authenticateAt: async (name, bearer, signal) => {
      const target = targetOf(name);
      return target && (await identity.authenticateAt(target, bearer, signal));
    },
    requestsPerMinute: config.rateLimit,
    trustProxy: config.trustProxy,
    meter: (workspace, bytes) => meter.add(workspace, 'tunnelBytes', bytes),
  });
}
