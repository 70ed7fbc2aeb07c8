import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Authentication, type Channel, type Inbound, type LinkPeer, SessionHub } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  decodeAccessRequest,
  decodeControlRequest,
  encodeAccessAnswer,
  encodeControlReply,
  frameAcceptor,
  sha256,
} from '#contexts/channels/adapters';
import { readCertificateToken } from '#kit/pki';
import { Secret, sleep, systemClock, uuidv7 } from '#kit/std';
import { listenGrpc } from '#kit/transport/grpc';
import { createWebSocketServer } from '#kit/transport/websocket';
import { ACCESS, CHANNELS, FLOWS, type FlowChannel, LARGE_BYTES, TARGET } from './flows.ts';
import { Journal } from './journal.ts';
import { type Goal, NumberedSender } from './numbered-sender.ts';
import { TakenLog } from './taken-log.ts';

/** The platform's end of channels, with both listeners, and an application behind it that sends and receives. */
interface Orders {
  readonly folder: string;
  readonly cert: string;
  readonly key: string;
  readonly heartbeatMs: number;
}
const { folder, cert, key, heartbeatMs } = JSON.parse(process.argv[2] ?? '') as Orders;
const WATCH_MS = 20;
const BUFFER = { messages: 64, bytes: 64 * 1024 };
const WEBSOCKET = { path: '/v1/fleetlet', protocol: 'fleetshift.v1' };

const over = new AbortController();
process.on('disconnect', () => process.exit());
const journal = new Journal(folder, 'platform');
const taken = new TakenLog(journal, 'up');
const hub = newHub();
for (const channel of CHANNELS) handle(channel);
hub.handle(ACCESS, { mode: 'reliable', buffer: BUFFER, message: answer });
const senders = FLOWS.filter(({ direction }) => direction === 'down').map(
  (flow) =>
    new NumberedSender({
      flow,
      journal,
      send: (message, signal) => hub.send(flow.channel, { ...message, target: TARGET.uid }, signal),
    }),
);
process.on('message', (goal: Goal) => {
  for (const sender of senders) sender.reach(goal);
});
setInterval(watchBuffers, WATCH_MS).unref();
process.send?.(await listen());
await Promise.all([hub.run(over.signal), ...senders.map((sender) => sender.run(over.signal))]);

function handle({ name, mode }: FlowChannel): void {
  hub.handle(name, { mode, buffer: BUFFER, message: (message) => taken.take(name, message) });
}

/** Every token is that of a caller of the same name. */
function answer(message: Inbound, { channel }: { readonly channel: Pick<Channel, 'trySend'> }): void {
  const asked = decodeAccessRequest(message.payload);
  if (asked?.question.kind !== 'identity') return journal.write({ kind: 'wrong', what: 'a question that is none' });
  const facts = { kind: 'identity', subject: asked.question.token, groups: [], issuer: 'test' } as const;
  const payload = encodeAccessAnswer({ request: asked.request, facts, maxAgeMs: 0, staleMs: 0 });
  channel.trySend({ payload, key: message.key });
  message.ack();
}

function watchBuffers(): void {
  // Each shard has its share of the buffer; a message larger than that share may be in it alone.
  const most = CHANNELS.reduce((sum, { shards }) => sum + shards * Math.max(BUFFER.bytes / shards, LARGE_BYTES), 0);
  for (const { bufferedBytes } of hub.sessions()) {
    if (bufferedBytes > most) journal.write({ kind: 'wrong', what: `a session keeps ${bufferedBytes} bytes` });
  }
}

async function listen(): Promise<Record<'grpc' | 'websocket', number>> {
  const accept = frameAcceptor(hub.accept);
  const at = { host: '127.0.0.1', port: 0 };
  const grpc = await listenGrpc({ at, tls: { cert, key: new Secret(key) }, path: CHANNEL_METHOD, accept });
  const sockets = createWebSocketServer({ ...WEBSOCKET, accept });
  const server = createServer({ cert, key });
  server.on('upgrade', (request, socket, head) => {
    if (!sockets.upgrade(request, socket, head)) socket.destroy();
  });
  await once(server.listen(at), 'listening');
  const { port } = server.address() as AddressInfo;
  return { grpc: 'port' in grpc.address ? grpc.address.port : 0, websocket: port };
}

async function authenticate({ certificate, headers }: LinkPeer): Promise<Authentication> {
  const word = headers['authorization']?.replace(/^Bearer /, '');
  const shown = word
    ? (await readCertificateToken(word, { audience: WEBSOCKET.path, now: Date.now() })).certificate
    : certificate && new X509Certificate(certificate);
  const uid = shown?.subject.replace(/^CN=/, '');
  if (uid === undefined) return { kind: 'refused', reason: 'unauthenticated', message: 'there is no certificate' };
  return { kind: 'known', uid, issuedAt: 0, notAfter: Number.POSITIVE_INFINITY, renewSoon: false };
}

function newHub(): SessionHub {
  return new SessionHub({
    directory: {
      authenticate,
      bind: async () => ({ kind: 'bound', target: TARGET }),
      describe: async () => undefined,
      welcome: async () => ({ platform: 'test', platformVersion: '1', authorities: '', ticketKey: '' }),
    },
    presence: { reachable: () => {}, changed: async () => {} },
    observer: {
      message: () => {},
      fact: (fact) => {
        if (fact.kind === 'messageRefused' || fact.kind === 'targetRefused')
          journal.write({ kind: 'wrong', what: JSON.stringify(fact) });
        else process.stderr.write(`${JSON.stringify(fact)}\n`);
      },
    },
    codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
    activity: () => ({ kind: 'active' }),
    session: uuidv7(),
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: uuidv7,
    sha256,
    heartbeatMs,
  });
}
