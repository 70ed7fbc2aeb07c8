import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CHANNEL_METHOD } from '#contexts/channels/adapters';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { FLEETLET_FLAGS, type HonestFleetlet, honestFleetlet } from './honest-fleetlet.ts';

const CALL = { ':method': 'POST', ':path': CHANNEL_METHOD, 'content-type': 'application/grpc' };

/** Connections without credentials; all are closed at the end of the attack. */
class Strangers {
  readonly sockets: Socket[] = [];
  readonly sessions: ClientHttp2Session[] = [];

  async tcp(to: { readonly host: string; readonly port: number }, localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ ...to, localAddress });
    this.sockets.push(socket);
    socket.on('error', () => {});
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    return socket;
  }

  async http2({ host, port, authority }: HonestFleetlet): Promise<ClientHttp2Session> {
    const session = connectHttp2(`https://${host}:${port}`, { ca: authority, rejectUnauthorized: false });
    this.sessions.push(session);
    session.on('error', () => {});
    await Promise.race([once(session, 'remoteSettings'), once(session, 'close')]);
    return session;
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
    for (const session of this.sessions) session.destroy();
  }
}

/** Waits until everything sent before has arrived. */
async function arrived(session: ClientHttp2Session): Promise<void> {
  if (session.destroyed) return;
  const closed = new Promise<void>((resolve) => session.once('close', () => resolve()));
  const answered = new Promise<void>((resolve) => session.ping(() => resolve()));
  await Promise.race([closed, answered]);
}

export const silentStreams: Attack = {
  finding: 8,
  name: 'five connections without a certificate keep all fleetlets out',
  run: async ({ home, signal }) => {
    const platform = await home.start({ flags: FLEETLET_FLAGS });
    const honest = await honestFleetlet(platform);
    if ((await honest.connect(signal)) !== 'opened') throw new Error('an honest fleetlet is not taken to begin with');
    const strangers = new Strangers();
    try {
      for (let nth = 0; nth < 5; nth += 1) {
        const session = await strangers.http2(honest);
        for (let stream = 0; stream < 1_000 && !session.destroyed; stream += 1)
          session.request(CALL).on('error', () => {});
        await arrived(session);
      }
      const answer = await honest.connect(signal);
      return answer === 'opened' ? heldOff('the fleetlet was taken') : succeeded(`the fleetlet is told "${answer}"`);
    } finally {
      strangers.end();
    }
  },
};

const LARGE = 1024 * 1024;

export const largeFirstFrames: Attack = {
  finding: 8,
  name: 'a stranger has the platform buffer large frames',
  run: async ({ home }) => {
    const honest = await honestFleetlet(await home.start({ flags: FLEETLET_FLAGS }));
    const strangers = new Strangers();
    try {
      const session = await strangers.http2(honest);
      const stream = session.request(CALL).on('error', () => {});
      let [said, status]: [number, string | undefined] = [0, undefined];
      stream.on('data', (chunk: Buffer) => void (said += chunk.length));
      stream.on('trailers', (trailers) => void (status = String(trailers['grpc-status'])));
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(LARGE, 1);
      stream.write(Buffer.concat([prefix, Buffer.alloc(LARGE - 1, 0xff)]));
      const ended = once(stream, 'close').then(() => {});
      await arrived(session);
      if (status === undefined && !stream.closed) {
        // All but the last byte has been sent. That byte completes the frame, and the platform reacts to it.
        stream.write(Buffer.alloc(1, 0xff));
        while (said === 0 && status === undefined && !stream.closed) await Promise.race([ended, pause(5)]);
      }
      if (status === '8') return heldOff('the prefix was enough to refuse it');
      if (said > 0) return succeeded(`a frame of ${LARGE} bytes was taken in full, and then answered`);
      throw new Error(`neither taken nor refused: status ${status}`);
    } finally {
      strangers.end();
    }
  },
};

const TOO_LONG_MS = 8_000;

export const silentHandshakes: Attack = {
  finding: 8,
  name: 'connections that say nothing hold up all handshakes',
  run: async ({ home, signal }) => {
    const honest = await honestFleetlet(await home.start({ flags: FLEETLET_FLAGS }));
    const strangers = new Strangers();
    const over = new AbortController();
    try {
      await Promise.all(Array.from({ length: 800 }, () => strangers.tcp(honest)));
      const connected = honest.connect(AbortSignal.any([signal, over.signal]));
      const answer = await Promise.race([connected, pause(TOO_LONG_MS, 'late', { ref: false })]);
      if (answer === 'late') {
        connected.catch(() => {});
        return succeeded(`behind 800 silent connections a fleetlet is not through after ${TOO_LONG_MS / 1_000} s`);
      }
      if (answer !== 'opened') throw new Error(`the fleetlet is told "${answer}"`);
      return heldOff('the fleetlet was through at once');
    } finally {
      over.abort();
      strangers.end();
    }
  },
};

export const slowBodies: Attack = {
  finding: 8,
  name: 'requests that are sent by half keep the administrator out',
  run: async ({ home }) => {
    const platform = await home.start();
    const url = new URL(platform.url);
    const to = { host: url.hostname, port: Number(url.port) };
    const strangers = new Strangers();
    const head = `POST /v1/login:redeem HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n`;
    try {
      const half = async (nth: number): Promise<void> => {
        const socket = await strangers.tcp(to, nth % 2 === 0 ? '127.0.0.2' : '127.0.0.3');
        if (socket.destroyed) return;
        // `100 Continue` shows that the platform has accepted the request; any other answer shows that it has not.
        const answered = Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.write(`${head}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{`);
        await answered;
        socket.resume();
      };
      await Promise.all(Array.from({ length: 1_010 }, (_, nth) => half(nth)));
      const { status } = await platform.request('/v1/workspaces');
      if (status === 503) return succeeded('the administrator is answered with 503');
      if (status !== 200) throw new Error(`the administrator is answered with ${status}`);
      return heldOff('the administrator is answered');
    } finally {
      strangers.end();
    }
  },
};
