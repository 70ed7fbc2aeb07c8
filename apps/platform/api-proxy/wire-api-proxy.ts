import type { SessionHub } from '#contexts/channels';
import { ownProperties } from '#contexts/targets/adapters';
import type { Authenticator, OpenStreams } from '#kit/http';
import type { Storage } from '#kit/storage';
import type { Logger, Metrics } from '#kit/telemetry';
import type { Access } from '../access/open-access.ts';
import type { PlatformConfig } from '../config.ts';
import { type ApiProxy, openApiProxy } from './open-api-proxy.ts';

export interface WireApiProxyDeps {
  readonly config: Pick<PlatformConfig, 'rateLimit' | 'trustProxy'>;
  readonly storage: Storage;
  readonly hub: SessionHub;
  readonly access: Access;
  readonly authenticator: Authenticator;
  readonly streams: OpenStreams;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** The proxy among its neighbours: who knows targets, grants and usage. */
export function wireApiProxy({ config, storage, access, ...deps }: WireApiProxyDeps): ApiProxy {
  const { index, authorizer, audit, meter } = access;
  return openApiProxy({
    ...deps,
    authorizer,
    audit,
    targetOf: (name) => {
      const [target, workspace] = index.lineageOf({ kind: 'target', name });
      return target && workspace && { uid: target.uid, workspace: workspace.name };
    },
    authenticationOf: async ({ uid }, signal) =>
      (await storage.read((reader) => ownProperties(reader, uid), signal))?.['apiAuthentication'],
    requestsPerMinute: config.rateLimit,
    trustProxy: config.trustProxy,
    meter: (workspace, bytes) => meter.add(workspace, 'tunnelBytes', bytes),
  });
}
