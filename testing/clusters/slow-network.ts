import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Tests supply their own time. */
interface LineClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface SlowNetworkOptions {
  /** Delay of each byte, in either direction. */
  readonly latencyMs?: number;
  /** Throughput of a connection, in each direction. */
  readonly bytesPerSecond?: number;
  /** Cuts a connection after this many bytes to the client. */
  readonly cutAfterBytes?: number;
  readonly clock?: LineClock;
}

export interface SlowNetwork {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  close(): Promise<void>;
}

/** Limit of bytes in flight in one direction. Beyond it the sender waits, as on any network. */
const MOST_BYTES = 262_144;
const REAL: LineClock = { now: () => performance.now(), sleep: (ms) => delay(ms) };

/** A proxy to a loopback port with the requested latency, throughput and cuts. */
export async function startSlowNetwork(port: number, options: SlowNetworkOptions): Promise<SlowNetwork> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    carry(client, server, { ...options, cutAfterBytes: Number.POSITIVE_INFINITY });
    carry(server, client, options);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('start a slow network: it has no port');
  return {
    server: `https://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function carry(from: Socket, to: Socket, options: SlowNetworkOptions): void {
  const {
    latencyMs = 0,
    bytesPerSecond = Number.POSITIVE_INFINITY,
    cutAfterBytes = Number.POSITIVE_INFINITY,
    clock = REAL,
  } = options;
  let line = Promise.resolve();
  let underWay = 0;
  let left = cutAfterBytes;
  let freeAt = 0;
  const deliver = async (bytes: Buffer, at: number): Promise<void> => {
    await clock.sleep(Math.max(0, at - clock.now()));
    if (!to.destroyed) to.write(bytes.subarray(0, Math.max(0, Math.min(bytes.length, left))));
    left -= bytes.length;
    underWay -= bytes.length;
    if (underWay <= MOST_BYTES) from.resume();
    if (left <= 0) to.end(() => to.destroy());
  };
  from.on('data', (bytes: Buffer) => {
    underWay += bytes.length;
    if (underWay > MOST_BYTES) from.pause();
    // The pieces share the throughput one after the other; the latency applies to each.
    freeAt = Math.max(freeAt, clock.now()) + (bytes.length * 1_000) / bytesPerSecond;
    const at = freeAt + latencyMs;
    line = line.then(() => deliver(bytes, at)).catch(() => {});
  });
  from.on('end', () => {
    line.then(
      () => to.end(),
      () => to.destroy(),
    );
  });
}
