import { seededRandom } from '#testing/seeded';
import { startFaultProxy } from '../../testing/fault-proxy/start-fault-proxy.ts';
import { type BenchContext, type Figure, plain } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { benchCertificates } from './bench-certificates.ts';
import { Child } from './child.ts';

const GOAL_MS = 50;
const LINK_BYTES_PER_SECOND = 8 * 2 ** 20;

interface Asked {
  readonly taken: readonly number[];
  readonly bulkPerSecond: number;
}

/** The latency of access checks while other channels of the fleetlet saturate the link that all of them share. */
export async function accessFigures(context: BenchContext): Promise<Figure[]> {
  const index = await whileBusy('index', context);
  const status = await whileBusy('status', context);
  return [
    plain('access p99, nothing else under way', percentile(index.alone, 0.99), 'ms'),
    ...figuresOf('access p99 while bulk fills its link', 'bulk meanwhile', index),
    ...figuresOf('access p99 while status fills its own connection', 'status meanwhile', status),
  ];
}

interface Latencies {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly otherPerSecond: number;
}

function figuresOf(name: string, other: string, { beside, otherPerSecond }: Latencies): Figure[] {
  const p99 = percentile(beside, 0.99);
  return [
    { ...plain(name, p99, 'ms'), goal: GOAL_MS, met: p99 < GOAL_MS },
    plain(other, otherPerSecond / 2 ** 20, 'MiB/s'),
  ];
}

async function whileBusy(channel: 'index' | 'status', { quick }: BenchContext): Promise<Latencies> {
  const { authority, server: tls, key, fleetlets } = benchCertificates(1);
  const server = new Child(new URL('./hub-process.ts', import.meta.url));
  const client = new Child(new URL('./access-process.ts', import.meta.url));
  const port = await server.ask<number>('listen', tls);
  const proxy = await startFaultProxy({ target: { host: '127.0.0.1', port }, random: seededRandom(1) });
  try {
    proxy.share(LINK_BYTES_PER_SECOND);
    const { uid = '', cert = '' } = fleetlets[0] ?? {};
    await client.ask('connect', { to: proxy.address, authority, who: { cert, key, target: uid } });
    const questions = quick ? 300 : 2_000;
    const alone = await client.ask<Asked>('ask', questions);
    await client.ask('saturate', channel);
    const beside = await client.ask<Asked>('ask', questions);
    return { alone: alone.taken, beside: beside.taken, otherPerSecond: beside.bulkPerSecond };
  } finally {
    await proxy.close();
    await Promise.all([client.stop(), server.stop()]);
  }
}
