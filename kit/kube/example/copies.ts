import { DONE, type Result, type Runnable, runGroups } from '#kit/reconcile';
import type { Logger, Metrics } from '#kit/telemetry';
import { InformerFactory } from '../cache/index.ts';
import {
  ControllerBuilder,
  type ControllerMetrics,
  createControllerMetrics,
  Expectations,
} from '../controller/index.ts';
import { CORE, type KubeClient, type KubeObject } from '../index.ts';
import { createLeaderElection, leaderGauge } from '../leader/index.ts';
import { controllerOf, setControllerReference } from '../objects/index.ts';

/** The wanted number of copies of a ConfigMap. */
export const COPIES_ANNOTATION = 'example.org/copies';
const IS_COPY = 'example.org/copy';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface CopiesDeps {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly metrics: Metrics;
  readonly log?: Logger;
}

/** The program: caches, and on top of them the controller, which runs only in the leader. */
export async function runCopies({ metrics, log, ...deps }: CopiesDeps, signal: AbortSignal): Promise<void> {
  const { client, namespace } = deps;
  const informers = new InformerFactory({ client, ...(log && { log }) });
  const controllerMetrics = createControllerMetrics(metrics);
  const leader = createLeaderElection({
    client: client.withPriority('high'),
    namespace,
    name: 'copies',
    gauge: leaderGauge(metrics),
    ...(log && { log }),
    work: (lost) => [
      copiesController({ ...deps, informers, metrics: controllerMetrics, cut: lost, ...(log && { log }) }),
    ],
  });
  await runGroups(
    [
      { name: 'informers', runnables: [informers], stopWithinMs: 5_000 },
      { name: 'leader', runnables: [leader], stopWithinMs: 45_000 },
    ],
    signal,
    { ...(log && { log }) },
  );
}

interface ControllerDeps extends Omit<CopiesDeps, 'metrics'> {
  readonly informers: InformerFactory;
  readonly metrics: ControllerMetrics;
  readonly cut: AbortSignal;
}

/** Keeps the number of copies of each ConfigMap that its annotation sets. The server chooses their names. */
function copiesController({ client, ...deps }: ControllerDeps): Runnable {
  const { informers, namespace } = deps;
  const place = { resource: CORE.configMaps, namespace };
  const originals = informers.informer<ConfigMap>(place, { labelSelector: `!${IS_COPY}` }).cache;
  const copies = informers.informer<ConfigMap>(place, { labelSelector: IS_COPY }).cache.index(ownerUid);
  const expectations = new Expectations();

  return new ControllerBuilder({ ...deps, name: 'copies', expectations, concurrency: 4 })
    .for(CORE.configMaps, { labelSelector: `!${IS_COPY}` })
    .owns(CORE.configMaps, { labelSelector: IS_COPY })
    .reconcile(async (key, signal): Promise<Result> => {
      const original = originals.get(key);
      // The copies of a deleted original are garbage collected by the cluster.
      if (!original) return DONE;
      const present = copies.get(original.metadata.uid ?? '');
      const wanted = Number(original.metadata.annotations?.[COPIES_ANNOTATION] ?? 0);
      for (const extra of present.slice(wanted)) {
        const ref = { ...place, name: extra.metadata.name ?? '' };
        await expectations.delete(key, extra, () => client.delete(ref, {}, signal));
      }
      for (let missing = wanted - present.length; missing > 0; missing -= 1) {
        const copy = setControllerReference(copyOf(original), original);
        await expectations.create(key, copy, (it) => client.create(place, it, {}, signal));
      }
      return DONE;
    });
}

function copyOf({ apiVersion, kind, metadata, data = {} }: ConfigMap): ConfigMap {
  const { name = '', namespace = '' } = metadata;
  return { apiVersion, kind, data, metadata: { generateName: `${name}-`, namespace, labels: { [IS_COPY]: 'true' } } };
}

function ownerUid(copy: KubeObject): string[] {
  return [controllerOf(copy)?.uid ?? ''];
}
