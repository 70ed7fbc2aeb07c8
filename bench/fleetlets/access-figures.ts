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

/** The latency of access checks while the index saturates the same connection. */
export async function accessFigures({ quick }: BenchContext): Promise<Figure[]> {
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
    await client.ask('saturate');
    const beside = await client.ask<Asked>('ask', questions);
    const p99 = percentile(beside.taken, 0.99);
    return [
      plain('access p99, nothing else under way', percentile(alone.taken, 0.99), 'ms'),
      { ...plain('access p99 while bulk fills its link', p99, 'ms'), goal: GOAL_MS, met: p99 < GOAL_MS },
      plain('bulk meanwhile', beside.bulkPerSecond / 2 ** 20, 'MiB/s'),
    ];
  } finally {
    await proxy.close();
    await Promise.all([client.stop(), server.stop()]);
  }
}
