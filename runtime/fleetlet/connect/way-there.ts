import { readFileSync } from 'node:fs';
import { Secret } from '#kit/std';
import type { DialOptions } from '#kit/transport/dial';
import { proxyFor } from '#kit/transport/dial';
import type { FleetletConfig } from '../config.ts';
import { FleetletError } from '../fleetlet-error.ts';
import type { IdentityStore } from '../identity/identity-store.ts';

export interface WayThereDeps {
  readonly config: Pick<FleetletConfig, 'caFile' | 'proxy'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly store: IdentityStore;
}

/** Options of every connection to the platform: the proxy, the trusted CAs, and our certificate. */
export function wayThere(
  { config, environment, store }: WayThereDeps,
  to: { readonly host: string; readonly port: number },
  { isPlain }: { readonly isPlain: boolean },
): DialOptions {
  const proxy = config.proxy?.reveal() ?? proxyFor({ ...to, protocol: 'https' }, environment);
  return { to, proxy, ...(isPlain ? {} : { tls: { credentials: () => credentials(config.caFile, store) } }) };
}

/** Read at each connect, so that renewed or replaced files take effect. */
function credentials(caFile: string | undefined, store: IdentityStore) {
  const { identity } = store;
  const besides = [caFile === undefined ? '' : readAuthorities(caFile), identity?.platform.serverCa ?? ''].filter(
    Boolean,
  );
  return {
    trust: { besides },
    ...(identity === undefined ? {} : { certificate: { cert: identity.pem, key: new Secret(store.keyPem) } }),
  };
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetletError('FILE_UNUSABLE', `--ca-file ${file} cannot be read: ${why}`, { cause });
  }
}
