import assert from 'node:assert/strict';
import { DONE, type Result, runGroups } from '#kit/reconcile';
import { PATIENCE_MS } from '#testing/patience';
import { InformerFactory } from '../../cache/informer-factory.ts';
import type { Lister, ObjectKey } from '../../cache/object-store.ts';
import { type FaultCase, FaultStage, insist, TROUBLES, type Trouble } from '../../cache/testing/fault-stage.ts';
import type { FlakyLine } from '../../cache/testing/flaky-line.ts';
import { type ConfigMap, configMap } from '../../cache/testing/memory-kube.ts';
import { CORE } from '../../client/core-resources.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { KubeObject } from '../../client/kube-object.ts';
import { listAll } from '../../client/list-all.ts';
import { isKubeError } from '../../kube-error.ts';
import { controllerOf, setControllerReference } from '../../objects/owner-references.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { ControllerBuilder } from '../controller-builder.ts';
import { Expectations } from '../expectations.ts';
import { formatKey } from '../object-key.ts';

const OWNERS = 8;
const COPIES = 3;
const ROUNDS = 5;

/**
 * A controller that creates copies with names chosen by the server, and never deletes one: a duplicate stays visible.
 * Under faults it must create exactly the wanted number, and never reconcile a key twice at once.
 */
export async function controllerFaultCase(of: FaultCase): Promise<void> {
  const stage = await FaultStage.set(of);
  const stop = new AbortController();
  const { line, client } = await stage.behindLine();
  // Writes use a connection of their own, so that they succeed while the watch is cut: the cache is stale then.
  const writes = await stage.behindLine();
  const informers = new InformerFactory({ client, random: () => 0.02 });
  const copier = new Copier(informers, writes.client, stage.namespace);
  const running = runGroups(
    [
      { name: 'informers', runnables: [informers], stopWithinMs: 5_000 },
      { name: 'copier', runnables: [copier.controller()], stopWithinMs: 20_000 },
    ],
    stop.signal,
  );
  try {
    for (const kind of stage.plan<ControllerTrouble>(
      ['stale', 'cuts', 'storm', 'token'],
      [...TROUBLES, 'stale', 'cuts'],
      ROUNDS,
    )) {
      await Promise.all([poke(stage, of.signal), trouble(kind, stage, [line, writes.line])]);
    }
    await waitFor(() => asManyAsThereShouldBe(stage, of.signal), AbortSignal.timeout(PATIENCE_MS));
  } finally {
    stop.abort();
    await running;
    await stage.close();
  }
  assert.deepEqual(copier.twiceAtOnce, []);
}

class Copier {
  readonly twiceAtOnce: string[] = [];
  readonly #underWay = new Set<string>();
  // Longer than any fault lasts: a create whose response was lost is seen before it is given up.
  readonly #expectations = new Expectations({ timeoutMs: 15_000 });
  readonly #informers: InformerFactory;
  readonly #client: KubeClient;
  readonly #namespace: string;

  constructor(informers: InformerFactory, client: KubeClient, namespace: string) {
    this.#informers = informers;
    this.#client = client;
    this.#namespace = namespace;
  }

  controller() {
    const { cache } = this.#informers.informer<ConfigMap>({ resource: CORE.configMaps, namespace: this.#namespace });
    const copies = this.#informers.informer({ resource: CORE.secrets, namespace: this.#namespace }).cache;
    return new ControllerBuilder({
      name: 'copier',
      informers: this.#informers,
      namespace: this.#namespace,
      expectations: this.#expectations,
      concurrency: 4,
      random: () => 0.2,
    })
      .for(CORE.configMaps)
      .owns(CORE.secrets)
      .reconcile(async (key, signal) => {
        const text = formatKey(key);
        if (this.#underWay.has(text)) this.twiceAtOnce.push(text);
        this.#underWay.add(text);
        try {
          return await this.#copy(key, { owner: cache.get(key), copies }, signal);
        } finally {
          this.#underWay.delete(text);
        }
      });
  }

  async #copy(
    key: ObjectKey,
    { owner, copies }: { owner: ConfigMap | undefined; copies: Lister },
    signal: AbortSignal,
  ): Promise<Result> {
    if (!isOwner(owner)) return DONE;
    const made = copies.index(byOwner).get(owner.metadata.uid ?? '');
    for (let missing = COPIES - made.length; missing > 0; missing -= 1) {
      const metadata = { generateName: `${key.name}-`, namespace: this.#namespace };
      const copy = setControllerReference<KubeObject>({ apiVersion: 'v1', kind: 'Secret', metadata }, owner);
      const ref = { resource: CORE.secrets, namespace: this.#namespace };
      await this.#expectations.create(key, copy, (it) => this.#client.create(ref, it, {}, signal));
    }
    return DONE;
  }
}

function byOwner(object: KubeObject): string[] {
  return [controllerOf(object)?.uid ?? ''];
}

/** Every namespace has a ConfigMap made by the server. */
function isOwner(object: ConfigMap | undefined): object is ConfigMap {
  return object?.metadata.name?.startsWith('owner-') ?? false;
}

/** Touches the owners repeatedly, so that they are reconciled with any state of the cache. */
async function poke(stage: FaultStage, signal: AbortSignal): Promise<void> {
  const { random, namespace, direct } = stage;
  const place = { resource: CORE.configMaps, namespace };
  for (let count = random.integer(10, 30); count > 0; count -= 1) {
    const name = `owner-${random.integer(1, OWNERS)}`;
    const patch = { type: 'merge', patch: { data: { poke: String(random.next()) } } } as const;
    await insist(
      async (it) => {
        try {
          await direct.patch({ ...place, name }, patch, {}, it);
        } catch (error) {
          if (!isKubeError(error, 'NOT_FOUND')) throw error;
          await direct.create(place, configMap(name), {}, it);
        }
      },
      (error) => isKubeError(error, 'ALREADY_EXISTS'),
      signal,
    );
    await stage.pause(0, 50);
  }
}

type ControllerTrouble = Trouble | 'cuts' | 'stale';

async function trouble(kind: ControllerTrouble, stage: FaultStage, lines: readonly FlakyLine[]): Promise<void> {
  const { random } = stage;
  if (kind !== 'cuts' && kind !== 'stale') return stage.trouble(kind);
  for (let times = random.integer(1, 4); times > 0; times -= 1) {
    const line = kind === 'stale' ? lines[0] : random.pick(lines);
    if (kind === 'cuts') line?.cut();
    else line?.block();
    await stage.pause(50, 400);
    line?.open();
  }
}

async function asManyAsThereShouldBe(stage: FaultStage, signal: AbortSignal): Promise<void> {
  const { direct, namespace } = stage;
  const owners = await listAll<ConfigMap>(direct, { resource: CORE.configMaps, namespace }, {}, signal);
  const copies = await listAll(direct, { resource: CORE.secrets, namespace }, {}, signal);
  const counts = Map.groupBy(copies.items, (copy) => byOwner(copy)[0]);
  for (const owner of owners.items.filter(isOwner)) {
    const made = counts.get(owner.metadata.uid)?.length ?? 0;
    if (made !== COPIES) throw new Error(`${owner.metadata.name} has ${made} copies`);
  }
}
