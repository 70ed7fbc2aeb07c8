import { create, toBinary } from '@bufbuild/protobuf';
import { type Channel, type Connect, type ConnectionClass, type Inbound, Uplink } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  decodeControlReply,
  encodeControlRequest,
  frameConnections,
  sha256,
} from '#contexts/channels/adapters';
import { Secret, sleep, systemClock, uuidv7 } from '#kit/std';
import type { Connection, Transport } from '#kit/transport';
import { createGrpcTransport } from '#kit/transport/grpc';
import { InventorySchema, StatusMessageSchema } from '#protocol/proto';
import { STREAMS } from './load.ts';

export interface SwarmOrder {
  readonly to: { readonly host: string; readonly port: number };
  readonly authority: string;
  readonly who: { readonly cert: string; readonly key: string; readonly target: string };
  /** All streams of an idle fleetlet by default. */
  readonly streams?: readonly string[];
}

/** The fleetlet's connection to the platform, with a minimal agent: it accepts every order and stores nothing. */
export class SwarmFleetlet {
  readonly sockets: Readonly<Record<ConnectionClass, Set<Connection>>> = { control: new Set(), bulk: new Set() };
  readonly uplink: Uplink;
  readonly #target: string;
  readonly #there = Promise.withResolvers<void>();
  readonly #control: Channel;
  readonly #status: Channel;
  #missing = 0;
  #back = Promise.withResolvers<void>();

  constructor({ to, authority, who, streams = STREAMS }: SwarmOrder) {
    const { cert, key, target } = who;
    this.#target = target;
    const credentials = { trust: { only: [authority] }, certificate: { cert, key: new Secret(key) } };
    const transport = createGrpcTransport({ to, path: CHANNEL_METHOD, tls: { credentials: () => credentials } });
    this.uplink = new Uplink({
      connect: { control: this.#watched(transport, 'control'), bulk: this.#watched(transport, 'bulk') },
      session: uuidv7(),
      process: 'fleetlet',
      clock: systemClock,
      sleep,
      random: Math.random,
      newId: uuidv7,
      sha256,
      heartbeatMs: 5_000,
    });
    const [control, status] = [this.#open('control'), this.#open('status')];
    for (const name of streams) if (name !== 'control' && name !== 'status') this.#open(name);
    [this.#control, this.#status] = [control, status];
    const claim = { name: target, type: 'directory', serving: 'colocated', labels: {}, properties: '{}' } as const;
    const rest = { manifestTypes: [], instance: 'i', agentVersion: '1' };
    this.#control.trySend({
      payload: encodeControlRequest({ request: 1, kind: 'registerTarget', claim: { ...claim, ...rest } }),
    });
    this.uplink.run(new AbortController().signal).catch(this.#there.reject);
  }

  /** Resolves when its target is registered and its first report was acknowledged. */
  get isThere(): Promise<void> {
    return this.#there.promise;
  }

  /** Disconnects; resolves when everything is connected again. */
  drop(): Promise<void> {
    this.#missing = STREAMS.length;
    this.#back = Promise.withResolvers();
    for (const connection of this.sockets.control) connection.close().catch(() => {});
    return this.#back.promise;
  }

  #open(name: string): Channel {
    const handlers = { message: (message: Inbound) => this.#heard(name, message), resumed: () => this.#resumed() };
    return this.uplink.open({ name, mode: 'reliable', connectionClass: 'control' }, handlers);
  }

  #heard(channel: string, message: Inbound): void {
    message.ack();
    if (channel !== 'control') return;
    const reply = decodeControlReply(message.payload);
    if (reply?.kind === 'targetRefused') this.#there.reject(new Error(`register ${this.#target}: ${reply.message}`));
    if (reply?.kind === 'targetAccepted') this.#tellAll(reply.target);
    if (reply?.kind === 'syncNow') for (const target of reply.targets) this.#tellAll(target);
  }

  #tellAll(target: string): void {
    const message = { case: 'inventory' as const, value: create(InventorySchema, { instance: 'i', holdings: [] }) };
    const payload = toBinary(StatusMessageSchema, create(StatusMessageSchema, { message }));
    this.#status.trySend({ payload, target, settled: () => this.#there.resolve() });
  }

  #resumed(): void {
    this.#missing -= 1;
    if (this.#missing === 0) this.#back.resolve();
  }

  #watched(transport: Transport, connectionClass: ConnectionClass): Connect {
    const sockets = this.sockets[connectionClass];
    return frameConnections({
      name: transport.name,
      connect: async (signal) => {
        const connection = await transport.connect(signal);
        sockets.add(connection);
        const gone = () => sockets.delete(connection);
        connection.closed.then(gone, gone);
        return connection;
      },
    });
  }
}
