import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { CHANNEL_METHOD } from '#contexts/channels/adapters';
import { answerParent } from '../fleetlets/answer-parent.ts';

/**
 * The listeners to attack, and whether the connections are hostile. Well-behaved callers connect at the same rate to the
 * same listeners, send one request, and stay idle.
 */
export interface AttackOrder {
  readonly http: { readonly host: string; readonly port: number };
  readonly grpc: { readonly host: string; readonly port: number };
  readonly isHostile: boolean;
}

export interface AttackCount {
  readonly made: number;
  readonly held: number;
}

const PER_SECOND = 200;
const HELD = 1_000;
const TICK_MS = 50;
const LARGE = 4 * 1024 * 1024;
const SMALL = 512;
const HALF = 'POST /v1/enroll HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{';
const WHOLE = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const CALL = { ':method': 'POST', ':path': CHANNEL_METHOD, 'content-type': 'application/grpc' };

const held = new Set<Socket>();
let made = 0;
let timer: NodeJS.Timeout | undefined;

setPriority(19);

answerParent({
  begin: (order: AttackOrder): void => {
    made = 0;
    timer = setInterval(() => {
      for (let nth = 0; nth < (PER_SECOND * TICK_MS) / 1_000; nth += 1) open(order);
    }, TICK_MS);
  },
  count: (): AttackCount => ({ made, held: held.size }),
  end: (): AttackCount => {
    clearInterval(timer);
    const count = { made, held: held.size };
    for (const socket of held) socket.destroy();
    return count;
  },
});

/** Opens one more connection, from the next address of 127.1.0.0/24; closes the oldest when there are enough. */
function open({ http, grpc, isHostile }: AttackOrder): void {
  const localAddress = `127.1.0.${1 + (made % 254)}`;
  const kind = made % 4;
  made += 1;
  const to = kind === 0 ? http : grpc;
  const socket = connect({ ...to, localAddress });
  held.add(socket);
  socket.on('error', () => {}).once('close', () => held.delete(socket));
  const [oldest] = held;
  if (held.size > HELD) oldest?.destroy();
  if (!isHostile) {
    if (kind === 0) socket.once('connect', () => socket.write(WHOLE)).resume();
    else calls(socket, { streams: 1, frameBytes: SMALL, sentBytes: SMALL });
  } else if (kind === 0) socket.once('connect', () => socket.write(HALF)).resume();
  else if (kind === 1) socket.resume();
  // A first TLS record that announces more to come, and then nothing.
  else if (kind === 2)
    socket.once('connect', () => socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]))).resume();
  else calls(socket, { streams: 4, frameBytes: LARGE, sentBytes: 256 * 1024 });
}

interface Calls {
  readonly streams: number;
  readonly frameBytes: number;
  readonly sentBytes: number;
}

function calls(socket: Socket, { streams, frameBytes, sentBytes }: Calls): void {
  const secured = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  secured.on('error', () => {});
  const session = connectHttp2('https://platform', { createConnection: () => secured });
  session.on('error', () => {});
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(frameBytes, 1);
  for (let nth = 0; nth < streams; nth += 1) {
    const stream = session.request(CALL).on('error', () => {});
    stream.resume();
    stream.write(prefix);
    stream.write(Buffer.alloc(sentBytes));
  }
}
