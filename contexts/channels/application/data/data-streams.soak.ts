import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createGrpcTransport, listenGrpc } from '#kit/transport/grpc';
import { startFaultProxy } from '#testing/fault-proxy/start-fault-proxy';
import { type SeededRandom, seededRandom } from '#testing/seeded';
import type { Soak } from '#testing/soak';
import { CHANNEL_METHOD } from '../../adapters/channel-method.ts';
import { fleetletOfCertificate } from '../../adapters/data-certificate.ts';
import { readDataTicket } from '../../adapters/data-tickets.ts';
import { frameAcceptor, frameConnections } from '../../adapters/frame-links.ts';
import { until } from '../../testing/an-uplink.ts';
import { CertifiedPeers } from '../../testing/certified-peers.ts';
import { FleetWorld, type TestFleetlet } from '../../testing/fleet-world.ts';
import type { DataPorts } from '../data/data-desk.ts';

/** Two fleetlets with TLS between them, and a network that fails at a random byte. */
export const soak: Soak = {
  description:
    'a direct data stream that is cut, or stalls, at a random byte goes on over the relay with the right hash',
  defaultCount: 100,
  async run({ count, seed, signal, progress }) {
    for (let run = 0; run < count; run += 1) {
      signal.throwIfAborted();
      await streamOnce(seededRandom(seed + run), signal);
      progress(run + 1);
    }
  },
};

const [NEAR, FAR] = ['01920000-0000-7000-8000-00000000000a', '01920000-0000-7000-8000-00000000000b'];

async function streamOnce(random: SeededRandom, signal: AbortSignal): Promise<void> {
  const world = new FleetWorld();
  const closing: (() => Promise<void>)[] = [() => world.close()];
  try {
    const peers = new CertifiedPeers();
    world.authorities.pem = peers.pem;
    const addresses: string[] = [];
    const far = await world.fleetlet(FAR, { ...credentials, addresses: () => addresses });
    const { proxy, close } = await listenBehindProxy(far, peers, random);
    closing.push(close);
    addresses.push(`${proxy.address.host}:${proxy.address.port}`);
    const near = await world.fleetlet(NEAR, { ...credentials, dial: dialler(peers), pace: PACE });
    const received = await receive(far);
    const parts = Array.from({ length: random.integer(20, 60) }, () => part(random));
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    const at = random.integer(1, size);
    const stalled = random.integer(0, 3) === 0 ? until(() => proxy.bytes >= at).then(() => proxy.stall()) : undefined;
    if (stalled === undefined) proxy.cutAfter(at, random.pick(['reset', 'end'] as const));
    const channel = (await near.local('source')).open({ name: 'data/backup' }, { message: (message) => message.ack() });
    for (const payload of parts) await channel.send({ payload, key: 'one' }, signal);
    await until(() => received.count >= parts.length);
    assert.equal(received.count, parts.length, 'one came twice');
    assert.equal(received.hash.digest('hex'), createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
    await stalled;
    // A stall may come too late to have an effect.
    if (stalled === undefined) assert.equal(near.ways.at(-1), 'relay');
    if (at > HANDSHAKE_BYTES) assert.equal(near.ways[0], 'direct');
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

/** Upper bound for the bytes before the stream is open. */
const HANDSHAKE_BYTES = 20_000;
const PACE = { baseMs: 5, capMs: 50, directWithinMs: 1_000, againMs: 600_000 };
const credentials: Partial<DataPorts> = {
  credentials: { readTicket: readDataTicket, fleetletOf: fleetletOfCertificate },
};

async function listenBehindProxy(far: TestFleetlet, peers: CertifiedPeers, random: SeededRandom) {
  const { acceptFleetlets } = far.broker;
  assert.ok(acceptFleetlets);
  const at = { host: '127.0.0.1', port: 0 };
  const accept = frameAcceptor(acceptFleetlets);
  const server = await listenGrpc({ at, tls: peers.issue(FAR), path: CHANNEL_METHOD, accept });
  assert.ok('port' in server.address);
  const proxy = await startFaultProxy({ target: server.address, random });
  const close = async (): Promise<void> => {
    await proxy.close();
    await server.close();
  };
  return { proxy, close };
}

function dialler(peers: CertifiedPeers): NonNullable<DataPorts['dial']> {
  const certificate = peers.issue(NEAR);
  return async ({ address, serverName }, signal) => {
    const [host = '', port] = address.split(':');
    const tls = { serverName, credentials: () => ({ trust: { only: [peers.pem] }, certificate }) };
    return await frameConnections(createGrpcTransport({ to: { host, port: Number(port) }, tls, path: CHANNEL_METHOD }))(
      signal,
    );
  };
}

async function receive(far: TestFleetlet) {
  const received = { count: 0, hash: createHash('sha256') };
  (await far.local('reader')).open(
    { name: 'data/backup', reads: true },
    {
      message: (message) => {
        received.hash.update(message.payload);
        received.count += 1;
        message.ack();
      },
    },
  );
  return received;
}

/** Most are small; some are sent in chunks. */
function part(random: SeededRandom): Uint8Array {
  const size = random.integer(0, 4) === 0 ? random.integer(70_000, 400_000) : random.integer(1, 20_000);
  return Buffer.alloc(size, random.integer(0, 255));
}
