import { type BenchContext, cost, type Figure, plain, rate } from '../figure.ts';
import { productFlags } from '../product-flags.ts';
import { interleaved } from '../statistics.ts';
import { asJavaScript } from './as-javascript.ts';
import { type BenchCertificates, benchCertificates } from './bench-certificates.ts';
import { Child } from './child.ts';

const FAN_OUT_GOAL = 2;
export const MEMORY_GOAL = 1.4;
const MIB = 2 ** 20;
const OURS = {
  server: new URL('./hub-process.ts', import.meta.url),
  clients: new URL('./swarm-process.ts', import.meta.url),
};
const RAW = {
  server: new URL('./raw-server-process.ts', import.meta.url),
  clients: new URL('./raw-swarm-process.ts', import.meta.url),
};

/** A server and its clients, in separate processes. */
interface Side {
  readonly server: Child;
  readonly clients: readonly Child[];
  readonly emptyBytes: number;
  readonly fullBytes: number;
  readonly connectMs: number;
}

export interface ChannelFigures {
  readonly figures: readonly Figure[];
  /** The memory of the raw server, as the reference for other figures. */
  readonly rawBytes: number;
}

/** Measures ours and raw node:http2 alternately, with both running. */
export async function channelFigures(context: BenchContext): Promise<ChannelFigures> {
  const { quick } = context;
  const count = quick ? 100 : 1_000;
  const certificates = benchCertificates(count);
  const children: Child[] = [];
  const servers = await asJavaScript([OURS.server, RAW.server]);
  const begin = (program: URL): Child => {
    const isServer = program === OURS.server || program === RAW.server;
    const child = new Child(isServer ? servers.of(program) : program, program === OURS.server ? productFlags() : []);
    children.push(child);
    return child;
  };
  try {
    const ours = await side(begin, OURS, certificates);
    await ours.server.ask('warm');
    const raw = await side(begin, RAW, certificates);
    context.log(`${count} fleetlets: connected in ${seconds(ours.connectMs)}, raw in ${seconds(raw.connectMs)}`);
    const figures = [...standing(ours, raw, count), ...(await moving(ours, raw, { quick, count }))];
    return { figures, rawBytes: raw.fullBytes };
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await servers.dispose();
  }
}

async function side(
  begin: (program: URL) => Child,
  programs: typeof OURS,
  { server: tls, authority, key, fleetlets }: BenchCertificates,
): Promise<Side> {
  const server = begin(programs.server);
  const port = await server.ask<number>('listen', tls);
  const clients = [begin(programs.clients)];
  const who = fleetlets.map(({ uid, cert }) => ({ cert, key, target: uid }));
  await clients[0]?.ask('collect');
  const emptyBytes = await server.restingBytes();
  const begun = performance.now();
  await Promise.all(
    clients.map((client) => client.ask('connect', { to: { host: '127.0.0.1', port }, authority, who })),
  );
  const connectMs = performance.now() - begun;
  return { server, clients, emptyBytes, fullBytes: await server.restingBytes(), connectMs };
}

function standing(ours: Side, raw: Side, count: number): Figure[] {
  const each = ({ emptyBytes, fullBytes }: Side): number => (fullBytes - emptyBytes) / count / 1024;
  return [
    cost({ name: `connect ${count}`, unit: 'ms', value: ours.connectMs, reference: raw.connectMs }),
    cost({
      name: `hub alone with ${count}: resident set`,
      unit: 'MiB',
      value: ours.fullBytes / MIB,
      reference: raw.fullBytes / MIB,
      goal: MEMORY_GOAL,
    }),
    cost({ name: 'hub alone: memory for each', unit: 'KiB', value: each(ours), reference: each(raw) }),
    plain('hub alone: resident set before', ours.emptyBytes / MIB, 'MiB'),
  ];
}

async function moving(ours: Side, raw: Side, { quick, count }: { quick: boolean; count: number }): Promise<Figure[]> {
  const rounds = quick ? 10 : 30;
  const fanOut = await interleaved(
    rounds,
    () => ours.server.ask<number>('fanOut'),
    () => raw.server.ask<number>('fanOut'),
  );
  await Promise.all(raw.clients.map((client) => client.ask('expect', 'messages')));
  const messages = quick ? 20_000 : 100_000;
  const stream = await interleaved(
    quick ? 3 : 7,
    () => ours.server.ask<number>('stream', messages),
    () => raw.server.ask<number>('stream', messages),
  );
  const sockets = await ours.clients[0]?.ask<{ control: number; bulk: number }>('sockets');
  const perSecond = (ms: number): number => messages / (ms / 1_000);
  return [
    cost({
      name: `delivery to all ${count}, and acknowledged`,
      unit: 'ms',
      value: fanOut.ours,
      reference: fanOut.theirs,
      goal: FAN_OUT_GOAL,
    }),
    rate({
      name: 'messages on one channel',
      unit: '/s',
      value: perSecond(stream.ours),
      reference: perSecond(stream.theirs),
    }),
    {
      ...plain('bulk sockets while there is no bulk', sockets?.bulk ?? Number.NaN, ''),
      goal: 0,
      met: sockets?.bulk === 0,
    },
  ];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
