import { Agent as HttpAgent, get as httpGet } from 'node:http';
import { Agent as HttpsAgent, get as httpsGet, type RequestOptions } from 'node:https';
import { type BenchContext, cost, type Figure, rate } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { openBareChain } from './bare-chain.ts';
import type { BenchCluster } from './bench-clusters.ts';
import type { BenchFleet } from './bench-fleet.ts';

const WIDTH = 16;
const PATH = '/api/v1/namespaces/bench/configmaps/proxied';

/** The proxy reaches half of the direct rate. */
const RATE_GOAL = 2;
/** And half of the rate of as many hops that do nothing else. */
const HOPS_GOAL = 2;
/** Until V8 has compiled what runs often, in the product and in what it is compared with. */
const WARM = { quick: 300, full: 3_000 };
const ROUNDS = { quick: 1, full: 3 };

type Ask = () => Promise<void>;

/**
 * The same small reads: directly from the API server; through the platform, its fleetlet and the agent; and through as many
 * hops of nothing but Node, which is the least that the processes in between cost on this machine. In turn, so that a slow
 * moment affects all.
 */
export async function proxyFigures(
  { clusters, fleet }: { readonly clusters: readonly BenchCluster[]; readonly fleet: BenchFleet },
  { quick, signal }: BenchContext,
): Promise<Figure[]> {
  const [cluster] = clusters;
  if (cluster === undefined) return [];
  await cluster.apply('proxied', 'here', signal);
  const { server, ca, adminToken } = cluster.cluster;
  const agents = {
    near: new HttpsAgent({ keepAlive: true, maxSockets: WIDTH }),
    far: new HttpAgent({ keepAlive: true, maxSockets: WIDTH }),
  };
  const chain = await openBareChain(cluster);
  const direct: Ask = async () =>
    await asked(httpsGet, `${server}${PATH}`, {
      ca,
      agent: agents.near,
      headers: { authorization: `Bearer ${adminToken}` },
    });
  const url = `${fleet.platform.url}/targets/${cluster.name}/api${PATH}`;
  const headers = { authorization: `Bearer ${fleet.platform.token}` };
  const proxied: Ask = async () => await asked(httpGet, url, { agent: agents.far, headers });
  const bare: Ask = async () => await asked(httpGet, `${chain.url}${PATH}`, { agent: agents.far });
  try {
    const count = quick ? WARM.quick : WARM.full;
    const taken: Record<'near' | 'far' | 'least', Measured[]> = { near: [], far: [], least: [] };
    for (const ask of [direct, bare, proxied]) await repeat(ask, count);
    for (let round = 0; round < (quick ? ROUNDS.quick : ROUNDS.full); round += 1) {
      taken.near.push(await measure(direct, MEASURED_MS));
      taken.least.push(await measure(bare, MEASURED_MS));
      taken.far.push(await measure(proxied, MEASURED_MS));
    }
    const [near, far, least] = [middle(taken.near), middle(taken.far), middle(taken.least)];
    const unit = '/s';
    return [
      rate({
        name: 'proxy: requests, 16 at once',
        unit,
        value: far.perSecond,
        reference: near.perSecond,
        goal: RATE_GOAL,
      }),
      rate({
        name: 'proxy: requests, beside bare hops',
        unit,
        value: far.perSecond,
        reference: least.perSecond,
        goal: HOPS_GOAL,
      }),
      rate({ name: 'bare hops: requests, 16 at once', unit, value: least.perSecond, reference: near.perSecond }),
      cost({ name: 'proxy: p50', unit: 'ms', value: far.p50, reference: near.p50 }),
      cost({ name: 'proxy: p99', unit: 'ms', value: far.p99, reference: near.p99 }),
    ];
  } finally {
    agents.near.destroy();
    agents.far.destroy();
    await chain.close();
  }
}

const MEASURED_MS = 1_500;

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

function middle(all: readonly Measured[]): Measured {
  const of = (pick: (measured: Measured) => number): number => percentile(all.map(pick), 0.5);
  return { perSecond: of((one) => one.perSecond), p50: of((one) => one.p50), p99: of((one) => one.p99) };
}

async function repeat(ask: Ask, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    for (; left > 0; left -= 1) await ask();
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
}

async function measure(ask: Ask, ms: number): Promise<Measured> {
  const taken: number[] = [];
  const begun = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - begun < ms) {
      const at = performance.now();
      await ask();
      taken.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  const seconds = (performance.now() - begun) / 1_000;
  return { perSecond: taken.length / seconds, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
}

async function asked(get: typeof httpsGet | typeof httpGet, url: string, options: RequestOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(url, options, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${response.statusCode}`)),
      );
      response.on('error', reject);
    }).on('error', reject);
  });
}
