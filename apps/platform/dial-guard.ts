import type { HostPort } from '#kit/config';
import { parseIpNetwork } from '#kit/std';
import { createDialGuard, type DialGuard } from '#kit/transport/dial';
import { isLoopback } from '#runtime/process/loopback';
import { fleetletAddress } from './channels/fleetlet-address.ts';
import type { PlatformConfig } from './config.ts';

type Places = Pick<PlatformConfig, 'listen' | 'tlsListen' | 'fleetletListen' | 'trustProxy'>;

const LOOPBACK = ['127.0.0.0/8', '::1'];
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

/** The permission for `/metrics`: operation names and counts, which require a permission beyond this machine. */
export function metricsPermission(config: Places & Pick<PlatformConfig, 'protectMetrics'>): 'metrics.read' | 'public' {
  return config.protectMetrics || !isHttpOnLoopback(config) ? 'metrics.read' : 'public';
}

/** Whether HTTP can be reached from this machine only. Behind a proxy, the callers are those of the proxy. */
function isHttpOnLoopback({ listen, tlsListen, trustProxy }: Places): boolean {
  return trustProxy.length === 0 && [listen, tlsListen].every((place) => place === undefined || isLoopback(place.host));
}

/** Whether every listener can be reached from this machine only. */
function isOnLoopbackOnly(config: Places): boolean {
  const fleetlets = fleetletAddress(config);
  return isHttpOnLoopback(config) && (fleetlets === undefined || isLoopback(fleetlets.host));
}

type Listening = () => { readonly [Listener in 'http' | 'https' | 'fleetlets']?: HostPort | undefined };
type GuardConfig = Places & Pick<PlatformConfig, 'dialAllow' | 'fleetletTcp'>;

/**
 * For addresses given by users. A platform that serves one machine only, as in the demo, may dial that machine: its
 * users are already there.
 */
export function platformDialGuard(config: GuardConfig, listening: Listening): DialGuard {
  return guardOf([...config.dialAllow, ...(isOnLoopbackOnly(config) ? LOOPBACK : [])], config, listening);
}

/** For addresses set by the operator and by admins of the root: any address that is not always forbidden. */
export function operatorDialGuard(config: GuardConfig, listening: Listening): DialGuard {
  return guardOf(EVERYWHERE, config, listening);
}

function guardOf(allow: readonly string[], { fleetletTcp }: GuardConfig, listening: Listening): DialGuard {
  return createDialGuard({
    allow: allow.map(parseIpNetwork).filter((network) => network !== undefined),
    own: () => {
      const { http, https, fleetlets } = listening();
      return [http, https, fleetlets, fleetletTcp].filter((place) => place !== undefined);
    },
    setting: '--dial-allow',
  });
}
