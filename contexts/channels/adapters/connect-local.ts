import { randomUUID } from 'node:crypto';
import { type Secret, sleep, systemClock, uuidv7 } from '#kit/std';
import type { Headers } from '#kit/transport';
import { createGrpcTransport, type DialTls, type Endpoint } from '#kit/transport/grpc';
import { LocalClient } from '../application/local-client.ts';
import { Uplink, type UplinkState } from '../application/uplink.ts';
import type { UplinkPace } from '../application/uplink-connection.ts';
import { CHANNEL_METHOD } from './channel-method.ts';
import { decodeControlReply, encodeControlRequest } from './control-codec.ts';
import { frameConnections } from './frame-links.ts';
import { sha256 } from './sha256.ts';

export interface ConnectLocalOptions {
  /** The fleetlet's socket, or its TCP address. */
  readonly to: Endpoint;
  /** For TCP: the token of this process. Read for each stream, so that a renewed token takes effect. */
  readonly token?: () => Secret;
  readonly tls?: DialTls;
  /** The name this process gives itself. */
  readonly process: string;
  readonly heartbeatMs?: number;
  readonly pace?: Partial<UplinkPace>;
  readonly onState?: (state: UplinkState) => void;
}

/** For agents and addons: connects to the local fleetlet. Nothing happens before `run`. */
export function connectLocal(options: ConnectLocalOptions): LocalClient {
  const { to, tls, token, process, heartbeatMs = 5_000, pace, onState } = options;
  const transport = createGrpcTransport({ to, path: CHANNEL_METHOD, ...(tls && { tls }) });
  const connect = frameConnections(
    transport,
    token && ((): Headers => ({ authorization: `Bearer ${token().reveal()}` })),
  );
  const uplink = new Uplink({
    connect: { control: connect, bulk: connect },
    session: uuidv7(),
    process,
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: randomUUID,
    sha256,
    heartbeatMs,
    ...(pace && { pace }),
    ...(onState && { onState }),
  });
  const wire = { encodeControlRequest, decodeControlReply };
  return new LocalClient({ uplink, wire, sleep, random: Math.random });
}
