import assert from 'node:assert/strict';
import { memoryLogger } from '#kit/telemetry/testing';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from '../../client/core-resources.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { listAll } from '../../client/list-all.ts';
import { isKubeError } from '../../kube-error.ts';
import { waitFor } from '../../testing/wait-for.ts';
import type { Informer } from '../informer.ts';
import { InformerFactory } from '../informer-factory.ts';
import { type FaultCase, FaultStage, insist, TROUBLES, type Trouble } from './fault-stage.ts';
import type { FlakyLine } from './flaky-line.ts';
import { type ConfigMap, configMap } from './memory-kube.ts';

const NAMES = Array.from({ length: 30 }, (_, number) => `object-${number}`);
const ROUNDS = 5;

/**
 * Random writes while the watch is cut, the token expires, the server is restarted, frozen, overloaded (429), given
 * another certificate, or has forgotten the informer's version (410), as `forget` arranges it. Afterwards the cache
 * must equal a fresh list, and so must the state known from changes alone. Returns the codes of the errors that the
 * informer met.
 */
export async function cacheFaultCase(of: FaultCase, forget: Forget): Promise<readonly string[]> {
  const stage = await FaultStage.set(of);
  const stop = new AbortController();
  const { line, client } = await stage.behindLine();
  const { log, lines } = memoryLogger();
  // Delays are short here: the trouble is to come from the server, not from the backoff.
  const informers = new InformerFactory({ client, log, random: () => 0.02 });
  const informer = informers.informer<ConfigMap>(
    { resource: CORE.configMaps, namespace: stage.namespace },
    { pageSize: 7 },
  );
  const listener = new Listener(informer);
  const running = informers.run(stop.signal);
  try {
    const place = { resource: CORE.configMaps, namespace: stage.namespace };
    for (const name of NAMES) await stage.direct.create(place, configMap(name), {}, of.signal);
    const always = ['forgotten', 'cuts', 'token', 'certificate'] as const;
    for (const kind of stage.plan<CacheTrouble | 'forgotten'>(always, [...TROUBLES, 'cuts', 'forgotten'], ROUNDS)) {
      if (kind === 'forgotten') await beForgotten(stage, { line, forget }, of.signal);
      else await Promise.all([write(stage, of.signal), trouble(kind, stage, line)]);
    }
    await waitFor(() => equalsFreshList(stage, informer, of.signal), AbortSignal.timeout(PATIENCE_MS));
    listener.equals(informer);
  } finally {
    stop.abort();
    await running;
    await stage.close();
  }
  return lines.map((it) => String((it['err'] as { code?: string } | undefined)?.code));
}

/** How a server comes to forget events: it was restarted, or it keeps no history itself and its store was compacted. */
export type Forget = 'restart' | 'compaction';

type CacheTrouble = Trouble | 'cuts';

async function trouble(kind: CacheTrouble, stage: FaultStage, line: FlakyLine): Promise<void> {
  const { random } = stage;
  await stage.pause(0, 100);
  if (kind !== 'cuts') return stage.trouble(kind);
  for (let cuts = random.integer(1, 5); cuts > 0; cuts -= 1) {
    line.cut();
    await stage.pause(0, 100);
  }
}

/** Writes made while the informer is disconnected are older than everything the server knows afterwards. */
async function beForgotten(
  stage: FaultStage,
  { line, forget }: { readonly line: FlakyLine; readonly forget: Forget },
  signal: AbortSignal,
): Promise<void> {
  line.block();
  try {
    await write(stage, signal);
    if (forget === 'restart') await stage.cluster.restart();
    else await stage.cluster.compact();
  } finally {
    line.open();
  }
  // So that the list that the informer now needs is refused repeatedly.
  await stage.trouble('storm');
}

/** A few dozen writes, one after another; a write that finds its object already changed is fine. */
async function write(stage: FaultStage, signal: AbortSignal): Promise<void> {
  const { random, namespace, direct } = stage;
  const place = { resource: CORE.configMaps, namespace };
  for (let count = random.integer(10, 40); count > 0; count -= 1) {
    const name = random.pick(NAMES);
    const data = { value: String(random.integer(0, 1_000_000)) };
    const act = random.pick(['create', 'update', 'update', 'delete', 'delete', 'replace'] as const);
    const done = (error: unknown): boolean => isKubeError(error, 'NOT_FOUND', 'ALREADY_EXISTS', 'CONFLICT');
    const remove = (): Promise<unknown> => insist((it) => direct.delete({ ...place, name }, {}, it), done, signal);
    const create = (): Promise<unknown> =>
      insist((it) => direct.create(place, configMap(name, data), {}, it), done, signal);
    if (act === 'update') await insist((it) => update(direct, { ...place, name }, data, it), done, signal);
    // Deleted and created again within a moment: a different object under the same name.
    if (act === 'delete' || act === 'replace') await remove();
    if (act === 'create' || act === 'replace') await create();
  }
}

async function update(
  client: KubeClient,
  ref: Parameters<KubeClient['patch']>[0],
  data: ConfigMap['data'],
  signal: AbortSignal,
): Promise<void> {
  await client.patch(ref, { type: 'merge', patch: { data } }, {}, signal);
}

async function equalsFreshList(stage: FaultStage, informer: Informer<ConfigMap>, signal: AbortSignal): Promise<void> {
  const ref = { resource: CORE.configMaps, namespace: stage.namespace };
  const { items } = await listAll<ConfigMap>(stage.direct, ref, {}, signal);
  assert.deepEqual(facts(informer.cache.list()), facts(items));
}

/** Knows nothing but the reported changes. */
class Listener {
  readonly #known = new Map<string, ConfigMap>();
  readonly #wrong: string[] = [];

  constructor(informer: Informer<ConfigMap>) {
    informer.onChange(({ old, now }) => {
      const name = now?.metadata.name ?? old?.metadata.name ?? '';
      const known = this.#known.get(name);
      if (known?.metadata.uid !== old?.metadata.uid) this.#wrong.push(`${name}: not what was told before`);
      if (now) this.#known.set(name, now);
      else this.#known.delete(name);
    });
  }

  equals(informer: Informer<ConfigMap>): void {
    assert.deepEqual(this.#wrong, []);
    assert.deepEqual(facts([...this.#known.values()]), facts(informer.cache.list()));
  }
}

function facts(objects: readonly ConfigMap[]): string[] {
  return objects
    .map(({ metadata, data }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${data?.['value']}`)
    .toSorted();
}
