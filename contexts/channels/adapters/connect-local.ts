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
  /** The socket of the fleetlet, or where it listens for TCP. */
  readonly to: Endpoint;
  /** For TCP: who we are. Asked for each stream, so that one that was renewed is used from then on. */
  readonly token?: () => Secret;
  readonly tls?: DialTls;
  /** What this process calls itself. */
  readonly process: string;
  readonly heartbeatMs?: number;
  readonly pace?: Partial<UplinkPace>;
  readonly onState?: (state: UplinkState) => void;
}

/** For agents and addons: their fleetlet. Nothing happens before it is `run`. */
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
