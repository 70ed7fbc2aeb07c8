import { X509Certificate } from 'node:crypto';
import { SessionHub } from '#contexts/channels';
import {
  CHANNEL_METHOD,
  decodeAccessRequest,
  decodeControlRequest,
  encodeAccessAnswer,
  encodeControlReply,
  frameAcceptor,
  sha256,
} from '#contexts/channels/adapters';
import { Secret, sleep, systemClock, uuidv7 } from '#kit/std';
import { listenGrpc } from '#kit/transport/grpc';
import { answerParent } from './answer-parent.ts';
import { DELIVERY_BYTES, MESSAGE_BYTES } from './load.ts';

/** The platform's end of channels and nothing else, for comparison with the raw server. */
const signal = AbortSignal.timeout(30 * 60_000);
const targets: string[] = [];
const hub = newHub();
hub.handle('delivery', { mode: 'reliable', message: (message) => message.ack() });
hub.handle('status', { mode: 'reliable', message: (message) => message.ack() });
hub.handle('index', { mode: 'reliable', message: (message) => message.ack() });
hub.handle('access', {
  mode: 'reliable',
  message: (message, { channel }) => {
    message.ack();
    const asked = decodeAccessRequest(message.payload);
    if (asked === undefined) return;
    const facts = { kind: 'identity', subject: 'somebody', groups: [], issuer: 'bench' } as const;
    channel.trySend({ payload: encodeAccessAnswer({ request: asked.request, facts, maxAgeMs: 0, staleMs: 0 }) });
  },
});

answerParent({
  listen: async (tls: { cert: string; key: string }) => {
    const server = await listenGrpc({
      at: { host: '127.0.0.1', port: 0 },
      tls: { cert: tls.cert, key: new Secret(tls.key) },
      path: CHANNEL_METHOD,
      accept: frameAcceptor(hub.accept),
      // All certificates are from the bench's own authority; the platform would check that.
      recognises: () => true,
    });
    hub.run(signal).catch((error: unknown) => {
      throw error;
    });
    return 'port' in server.address ? server.address.port : 0;
  },
  /** Waits until each has opened its delivery channel. */
  warm: async () => {
    const send = (target: string) => hub.send('delivery', { target, payload: Buffer.alloc(1) }, signal);
    for (const target of targets)
      while (
        await send(target).then(
          () => false,
          () => true,
        )
      )
        await sleep(20, signal);
  },
  /** Sends one message to each, and waits for the acknowledgements. */
  fanOut: async () => {
    const payload = Buffer.alloc(DELIVERY_BYTES, 'd');
    const taken = counted(targets.length);
    const begun = performance.now();
    await Promise.all(targets.map((target) => hub.send('delivery', { target, payload, settled: taken.one }, signal)));
    await taken.all;
    return performance.now() - begun;
  },
  /** Sends as much as one channel takes. */
  stream: async (messages: number) => {
    const [target = ''] = targets;
    const payload = Buffer.alloc(MESSAGE_BYTES, 'm');
    const taken = counted(messages);
    const begun = performance.now();
    for (let sent = 0; sent < messages; sent += 1) {
      await hub.send('delivery', { target, payload, settled: taken.one }, signal);
    }
    await taken.all;
    return performance.now() - begun;
  },
});

function counted(count: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  return {
    all: promise,
    one: (): void => {
      left -= 1;
      if (left === 0) resolve();
    },
  };
}

function newHub(): SessionHub {
  /** Names by the certificate of a connection; each of its streams looks it up. */
  const names = new WeakMap<Uint8Array, string>();
  return new SessionHub({
    directory: {
      authenticate: async ({ certificate = new Uint8Array(0) }) => {
        const uid = names.get(certificate) ?? new X509Certificate(certificate).subject.replace(/^CN=/, '');
        names.set(certificate, uid);
        return { kind: 'known', uid, issuedAt: 0, notAfter: Number.POSITIVE_INFINITY, renewSoon: false };
      },
      bind: async (_fleetlet, { name, type }) => ({ kind: 'bound', target: { uid: uuidv7(), name, type } }),
      describe: async () => undefined,
      welcome: async () => ({ platform: 'bench', platformVersion: '1', authorities: '', ticketKey: '' }),
    },
    presence: { reachable: () => {}, changed: async () => {} },
    observer: {
      fact: (fact) => {
        if (fact.kind === 'served') targets.push(fact.target.uid);
      },
      message: () => {},
    },
    codec: { decodeRequest: decodeControlRequest, encodeReply: encodeControlReply },
    activity: () => ({ kind: 'active' }),
    session: uuidv7(),
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: uuidv7,
    sha256,
    heartbeatMs: 5_000,
  });
}
