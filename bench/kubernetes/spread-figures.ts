import { setTimeout as pause } from 'node:timers/promises';
import { type BenchContext, cost, type Figure, plain } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { type BenchCluster, valued } from './bench-clusters.ts';
import type { BenchFleet } from './bench-fleet.ts';
import type { Peer } from './peer.ts';

const APPLIED_GOAL = 3;
const KNOWN_GOAL = 4;
/** Enough for the remaining work of the previous change to finish, on either side. */
export const BETWEEN_MS = 500;

export interface Spread {
  readonly clusters: readonly BenchCluster[];
  readonly fleet: BenchFleet;
  readonly peers: readonly Peer[];
  readonly objects: number;
  readonly rounds: number;
}

/** The time of one change to reach the last cluster: with ours, with a bare loop of server-side applies, and with peers. */
export async function spreadFigures(spread: Spread, context: BenchContext): Promise<Figure[]> {
  const { clusters, fleet, peers, objects, rounds } = spread;
  const name = `spread-${objects}`;
  const names = Array.from({ length: objects }, (_, nth) => `${name}-${nth}`);
  const placement = [{ type: 'static', targets: clusters.map((cluster) => cluster.name) }];
  await fleet.create(name, { ...manifest(names, 'begin'), placement });
  await all(clusters, names, 'begin');
  await fleet.knows(name, { after: 0, count: clusters.length });
  const taken: Taken = { applied: [], known: [], bare: [], peers: peers.map(() => []) };
  for (let round = 0; round < rounds; round += 1) {
    const value = `v-${round}`;
    await pause(BETWEEN_MS);
    const { applied, known } = await ours({ ...spread, name, names, value });
    taken.applied.push(applied);
    taken.known.push(known);
    await pause(BETWEEN_MS);
    taken.bare.push(await bare(clusters, { objects, value }, context.signal));
    for (const [nth, peer] of peers.entries()) {
      await pause(BETWEEN_MS);
      taken.peers[nth]?.push(await byPeer(peer, clusters, { objects, value }));
    }
  }
  await fleet.delete(name);
  return figuresOf(taken, spread);
}

interface Taken {
  readonly applied: number[];
  readonly known: number[];
  readonly bare: number[];
  readonly peers: number[][];
}

/** One change of a deployment with these objects. */
export interface Change extends Pick<Spread, 'clusters' | 'fleet'> {
  readonly name: string;
  readonly names: readonly string[];
  readonly value: string;
}

/** Times from the request to the watch event of the last cluster, and to the report of the platform. */
export async function ours({
  clusters,
  fleet,
  name,
  names,
  value,
}: Change): Promise<{ readonly applied: number; readonly known: number }> {
  const after = await fleet.revision(name);
  const applied = all(clusters, names, value);
  const begun = performance.now();
  await fleet.change(name, manifest(names, value));
  const known = fleet.knows(name, { after, count: clusters.length });
  return { applied: (await applied) - begun, known: (await known) - begun };
}

/** The lower bound: all clusters at once, one apply after the other within each, with our concurrency. */
export async function bare(
  clusters: readonly BenchCluster[],
  { objects, value }: { readonly objects: number; readonly value: string },
  signal: AbortSignal,
): Promise<number> {
  const names = Array.from({ length: objects }, (_, nth) => `bare-${objects}-${nth}`);
  const there = all(clusters, names, value);
  const begun = performance.now();
  await Promise.all(
    clusters.map(async (cluster) => {
      await Promise.all(names.map(async (name) => await cluster.apply(name, value, signal)));
    }),
  );
  return (await there) - begun;
}

async function byPeer(
  peer: Peer,
  clusters: readonly BenchCluster[],
  { objects, value }: { readonly objects: number; readonly value: string },
): Promise<number> {
  const names = Array.from({ length: objects }, (_, nth) => `${peer.name}-${objects}-${nth}`);
  const there = all(clusters, names, value);
  const begun = performance.now();
  peer.spread(names, value);
  return (await there) - begun;
}

/** The time when the last cluster had it. */
export async function all(clusters: readonly BenchCluster[], names: readonly string[], value: string): Promise<number> {
  return Math.max(...(await Promise.all(clusters.map((cluster) => cluster.has(names, value)))));
}

export function manifest(names: readonly string[], value: string): object {
  return { manifest: { type: 'inline', documents: names.map((name) => valued(name, value)) } };
}

function figuresOf(taken: Taken, { clusters, objects, peers }: Spread): Figure[] {
  const what = `${clusters.length} clusters x ${objects}`;
  const unit = 'ms';
  const reference = percentile(taken.bare, 0.5);
  const measured = (name: string, values: readonly number[], goal?: number): Figure =>
    cost({ name: `${what}: ${name}`, unit, value: percentile(values, 0.5), reference, ...(goal && { goal }) });
  return [
    measured('change to applied on the last', taken.applied, APPLIED_GOAL),
    measured('change to known on the platform', taken.known, KNOWN_GOAL),
    plain(`${what}: applied on the last, p90`, percentile(taken.applied, 0.9), unit),
    plain(`${what}: bare loop, p90`, percentile(taken.bare, 0.9), unit),
    ...peers.map(({ name }, nth) => measured(`by ${name}`, taken.peers[nth] ?? [])),
  ];
}
