import { Agent as HttpAgent, get as httpGet } from 'node:http';
import { Agent as HttpsAgent, get as httpsGet, type RequestOptions } from 'node:https';
import { type BenchContext, cost, type Figure, rate } from '../figure.ts';
import { percentile } from '../statistics.ts';
import type { BenchCluster } from './bench-clusters.ts';
import type { BenchFleet } from './bench-fleet.ts';

const WIDTH = 16;
const PATH = '/api/v1/namespaces/bench/configmaps/proxied';

type Ask = () => Promise<void>;

/** The same small reads, directly from the API server, and through the platform, its fleetlet and the agent. */
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
  const direct: Ask = async () =>
    await asked(httpsGet, `${server}${PATH}`, {
      ca,
      agent: agents.near,
      headers: { authorization: `Bearer ${adminToken}` },
    });
  const url = `${fleet.platform.url}/targets/${cluster.name}/api${PATH}`;
  const headers = { authorization: `Bearer ${fleet.platform.token}` };
  const proxied: Ask = async () => await asked(httpGet, url, { agent: agents.far, headers });
  try {
    const ms = quick ? 1_000 : 3_000;
    await measure(direct, 300);
    await measure(proxied, 300);
    const near = await measure(direct, ms);
    const far = await measure(proxied, ms);
    return [
      rate({ name: 'proxy: requests, 16 at once', unit: '/s', value: far.perSecond, reference: near.perSecond }),
      cost({ name: 'proxy: p50', unit: 'ms', value: far.p50, reference: near.p50 }),
      cost({ name: 'proxy: p99', unit: 'ms', value: far.p99, reference: near.p99 }),
    ];
  } finally {
    agents.near.destroy();
    agents.far.destroy();
  }
}

async function measure(ask: Ask, ms: number): Promise<{ perSecond: number; p50: number; p99: number }> {
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
