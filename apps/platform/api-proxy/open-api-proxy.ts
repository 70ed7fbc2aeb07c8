import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DOOR_PREFIX, type StreamLimits } from '#contexts/api-proxy';
import { ByteDuplex } from '#contexts/api-proxy/adapters';
import type { SessionHub } from '#contexts/channels';
import type { Runnable } from '#kit/reconcile';
import { aborted, type Clock, systemClock } from '#kit/std';
import type { Logger, Metrics } from '#kit/telemetry';
import { ApiDoor, type ApiDoorDeps } from './api-door.ts';
import { callerAddress } from './caller-address.ts';
import { doorMetrics } from './door-metrics.ts';
import { TunnelAgent, type TunnelTarget } from './tunnel-agent.ts';

export interface OpenApiProxyDeps
  extends Pick<
    ApiDoorDeps,
    | 'authenticator'
    | 'authenticateAt'
    | 'authorizer'
    | 'audit'
    | 'streams'
    | 'targetOf'
    | 'catchUp'
    | 'requestsPerMinute'
  > {
  readonly hub: Pick<SessionHub, 'openBytes'>;
  /** The proxies, by address or network, whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
  /** Counts the transferred bytes, in both directions. */
  readonly meter: (workspace: string, bytes: number) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: StreamLimits;
}

/** Handles everything below the prefix, unparsed, for an HTTP server. */
export interface ApiProxy {
  readonly prefix: string;
  request(request: IncomingMessage, response: ServerResponse, known?: () => void): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, known?: () => void): void;
  /** Ends the open requests on shutdown, which nothing else would do. */
  readonly runnable: Runnable;
}

const CHANNEL = 'tunnel/api';
const OPEN_MS = 20_000;
const KEY_BYTES = 32;

export function openApiProxy(deps: OpenApiProxyDeps): ApiProxy {
  const { hub, meter, metrics, clock = systemClock } = deps;
  const log = deps.log.child({ component: 'api-proxy' });
  const tunnels = new TunnelAgent((target) => openTunnel({ hub, meter }, target));
  const addressOf = callerAddress(deps.trustProxy);
  const door = new ApiDoor({ ...deps, tunnels, addressOf, clock, watch: doorMetrics(metrics), log });
  return {
    prefix: DOOR_PREFIX,
    request: door.request,
    upgrade: door.upgrade,
    runnable: { name: 'api proxy', run: (stop) => closeAt(stop, door) },
  };
}

async function openTunnel({ hub, meter }: Pick<OpenApiProxyDeps, 'hub' | 'meter'>, target: TunnelTarget) {
  const tunnel = new ByteDuplex();
  const { handlers } = tunnel;
  const count = (data: Uint8Array): void => meter(target.workspace, data.length);
  const heard = {
    ...handlers,
    data: (data: Uint8Array): void => {
      count(data);
      handlers.data(data);
    },
  };
  const key = randomBytes(KEY_BYTES);
  const wanted = { target: target.uid, channel: CHANNEL, key };
  const bytes = await hub.openBytes(wanted, heard, AbortSignal.timeout(OPEN_MS));
  tunnel.over({
    write: (data) => {
      count(data);
      return bytes.write(data);
    },
    end: () => bytes.end(),
    destroy: (why) => bytes.destroy(why),
    pause: () => bytes.pause(),
    resume: () => bytes.resume(),
  });
  return { tunnel, key };
}

async function closeAt(stop: AbortSignal, door: ApiDoor): Promise<void> {
  await aborted(stop);
  door.close();
  await door.recorded();
}
