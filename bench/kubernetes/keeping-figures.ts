import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CORE } from '#kit/kube';
import { type BenchContext, type Figure, plain, rate } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { type BenchCluster, NAMESPACE, valued } from './bench-clusters.ts';
import type { BenchFleet } from './bench-fleet.ts';

const MIB = 2 ** 20;
const WIDTH = 16;

interface Kept {
  readonly clusters: readonly BenchCluster[];
  readonly fleet: BenchFleet;
}

/** The time from a foreign change to the watch event that shows it reverted. */
export async function driftFigures({ clusters, fleet }: Kept, { quick, signal }: BenchContext): Promise<Figure[]> {
  const manifest = { type: 'inline', documents: [valued('drifting', 'ours')] };
  await fleet.create('drifting', { manifest, driftPolicy: 'repair' });
  await fleet.knows('drifting', { after: 0, count: clusters.length });
  const taken: number[] = [];
  const [cluster] = clusters;
  if (cluster === undefined) return [];
  for (let round = 0; round < (quick ? 2 : 3); round += 1) {
    await pause(1_000);
    const ref = { resource: CORE.configMaps, namespace: NAMESPACE, name: 'drifting' };
    const patch = { type: 'merge', patch: { data: { value: `theirs-${round}` } } } as const;
    const begun = performance.now();
    await cluster.client.patch(ref, patch, { fieldManager: `stranger-${round}` }, signal);
    const changed = await cluster.has(['drifting'], `theirs-${round}`);
    taken.push((await cluster.has(['drifting'], 'ours', changed)) - begun);
  }
  await fleet.delete('drifting');
  return [plain('drift: from the change until it is put back', percentile(taken, 0.5), 'ms')];
}

/**
 * One large deployment on one cluster, next to the same applies made directly; and the agent's memory while it watches
 * the objects.
 */
export async function loadFigures(kept: Kept, context: BenchContext): Promise<Figure[]> {
  const figures: Figure[] = [plain('agent: resident set, few objects', residentMib(kept.fleet.pid), 'MiB')];
  for (const count of context.quick ? [500] : [1_000, 10_000]) figures.push(...(await load(kept, count, context)));
  return figures;
}

async function load({ clusters, fleet }: Kept, count: number, context: BenchContext): Promise<Figure[]> {
  const [cluster] = clusters;
  if (cluster === undefined) return [];
  const names = (prefix: string): string[] => Array.from({ length: count }, (_, nth) => `${prefix}-${nth}`);
  const deployment = `load-${count}`;
  const documents = names(deployment).map((name) => small(name));
  const begun = performance.now();
  await fleet.create(deployment, {
    manifest: { type: 'inline', documents },
    placement: [{ type: 'static', targets: [cluster.name] }],
  });
  await fleet.knows(deployment, { after: 0, count: 1 });
  const ours = performance.now() - begun;
  const mebibytes = residentMib(fleet.pid);
  context.log(`${count} objects on one cluster: known after ${(ours / 1_000).toFixed(1)} s`);
  const bare = await byHand(cluster, names(`hand-${count}`), context.signal);
  const perSecond = (ms: number): number => count / (ms / 1_000);
  const compared = { unit: '/s', value: perSecond(ours), reference: perSecond(bare) };
  await fleet.delete(deployment);
  return [
    rate({ name: `objects applied, ${count} in one deployment`, ...compared }),
    plain(`agent: resident set, ${count} watched objects`, mebibytes, 'MiB'),
  ];
}

async function byHand(cluster: BenchCluster, names: readonly string[], signal: AbortSignal): Promise<number> {
  const todo = names.values();
  const begun = performance.now();
  const lane = async (): Promise<void> => {
    for (const name of todo) {
      const ref = { resource: CORE.configMaps, namespace: NAMESPACE, name };
      await cluster.client.apply(ref, small(name), { fieldManager: 'bench' }, signal);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  return performance.now() - begun;
}

function small(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data: { value: 'x' } };
}

function residentMib(pid: number): number {
  const [, kib = 'NaN'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * 1024) / MIB;
}
