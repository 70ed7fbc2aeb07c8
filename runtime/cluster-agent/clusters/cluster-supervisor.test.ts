import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { TargetClaim } from '#contexts/channels';
import type { ServedCluster } from '#contexts/kubernetes';
import type { KubeClient, KubeConfig } from '#kit/kube';
import { memoryLogger } from '#kit/telemetry/testing';
import type { TargetId, TargetRef } from '#protocol/targets';
import type { RegistrationHandlers } from '#runtime/agent-process/target-registration';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import type { ClusterState } from './cluster-state.ts';
import { ClusterSupervisor, type ClusterSupervisorDeps } from './cluster-supervisor.ts';
import type { ConnectedCluster } from './connect-cluster.ts';

const REF: TargetRef = { id: 'u1' as TargetId, name: 'web', type: 'kubernetes' };
const PACE = { lookMs: 5, answerMs: 1_000, misses: 2, retry: { baseMs: 1, capMs: 5 }, farewellMs: 100 };

/** A world with one server per address, each with or without a cluster behind it. */
class World {
  readonly happened: string[] = [];
  readonly states: ClusterState[] = [];
  readonly servers = new Map<string, string>([['https://one/', 'uid-1']]);
  /** Installations served by this process, with the targets that they are served as. */
  readonly instances: Map<string, string>;
  /** Ids that were stored in the cluster. */
  readonly issued: string[] = [];
  config: KubeConfig = { server: 'https://one/', namespace: 'default', identity: {} };
  registration: (RegistrationHandlers & { ref: TargetRef | undefined }) | undefined;
  version = 'v1.36.0';
  readonly #listeners = new Set<() => void>();

  constructor(instances = new Map<string, string>()) {
    this.instances = instances;
  }

  change(config: Partial<KubeConfig>): void {
    this.config = { ...this.config, ...config };
    for (const listener of this.#listeners) listener();
  }

  deps: ClusterSupervisorDeps = {
    name: 'web',
    source: {
      read: async () => this.config,
      onChanged: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    },
    serving: 'proxy',
    version: '1.0.0',
    connect: async (config) => this.#connect(config),
    agent: {
      add: async ({ target, instance }) => void this.happened.push(`add ${target.id} of ${instance}`),
      drop: async (id) => void this.happened.push(`drop ${id}`),
    },
    register: (registration) => this.#register(registration),
    serve: ({ id }) => {
      this.happened.push(`serve ${id}`);
      return async () => void this.happened.push(`no longer serve ${id}`);
    },
    claimInstance: (instance) => {
      const other = this.instances.get(instance);
      if (other === undefined) this.instances.set(instance, this.deps.name);
      return other === this.deps.name ? undefined : other;
    },
    freeInstance: () => {
      for (const [instance, target] of this.instances) if (target === this.deps.name) this.instances.delete(instance);
    },
    onState: (state) => this.states.push(state),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, Math.min(ms, 5));
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
    random: () => 0.5,
    log: memoryLogger().log,
    pace: PACE,
  };

  async accept(): Promise<void> {
    const registration = this.registration ?? assert.fail('nothing is registered');
    registration.ref = REF;
    await registration.take(REF);
  }

  #connect(config: KubeConfig): ConnectedCluster {
    const instance = this.#answering(config.server);
    this.happened.push(`connect to ${instance}`);
    return {
      config,
      guard: undefined,
      kube: {} as KubeClient,
      ports: { instance } as Omit<ServedCluster, 'target'>,
      look: async () => ({ instance: this.#answering(config.server) }),
      issue: async (identity) => void this.issued.push(identity),
      facts: async () => ({ version: this.version, labels: {} }),
      close: async () => void this.happened.push(`close ${instance}`),
    };
  }

  #answering(server: string): string {
    const instance = this.servers.get(server);
    if (instance === undefined) throw new Error(`nobody is at ${server}`);
    return instance;
  }

  #register(registration: RegistrationHandlers) {
    this.happened.push(`register ${registration.claim.instance}`);
    const its = Object.assign({ ...registration }, { ref: undefined as TargetRef | undefined });
    this.registration = its;
    return {
      get ref() {
        return its.ref;
      },
      update: ({ instance }: TargetClaim) => void this.happened.push(`update ${instance}`),
      account: async () => {
        if (its.ref === undefined) return;
        await registration.take(its.ref);
        this.happened.push(`account ${its.ref.id}`);
      },
      deregister: async () => {
        this.happened.push('deregister');
        if (its.ref !== undefined) await registration.drop?.(its.ref);
        its.ref = undefined;
        this.registration = undefined;
      },
    };
  }
}

function running(t: TestContext, world: World): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const done = new ClusterSupervisor(world.deps).run(over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await done;
  };
  t.after(stop);
  return { stop };
}

async function until(world: World, word: string): Promise<void> {
  await eventually(word, () => world.happened.includes(word));
}

const state = (world: World): string | undefined => world.states.at(-1)?.kind;

suite('a cluster that is kept', () => {
  test('is connected, registered, and served once it is ours; and given back at the end', async (t) => {
    const world = new World();
    const { stop } = running(t, world);
    await until(world, 'register uid-1');
    assert.equal(state(world), 'Registering');
    await world.accept();
    assert.deepEqual(world.happened, ['connect to uid-1', 'register uid-1', 'serve u1', 'add u1 of uid-1']);
    assert.equal(state(world), 'Serving');
    await world.accept();
    assert.equal(world.happened.length, 4, 'to hear it again is no news');
    await stop();
    assert.deepEqual(world.happened.slice(4), ['deregister', 'drop u1', 'no longer serve u1', 'close uid-1']);
  });

  test('is nobody of the platform before it answers', async (t) => {
    const world = new World();
    world.servers.clear();
    running(t, world);
    await eventually('it to be told', () => world.states.length > 3);
    assert.deepEqual(world.states.at(-1), { kind: 'Unreachable', message: 'nobody is at https://one/' });
    assert.ok(!world.happened.some((each) => each.startsWith('register')));
    world.servers.set('https://one/', 'uid-1');
    await until(world, 'register uid-1');
  });

  test('is given back when it does not answer any more, and taken again when it does', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    await world.accept();
    world.servers.clear();
    await until(world, 'deregister');
    assert.equal(state(world), 'Unreachable');
    await until(world, 'drop u1');
    world.servers.set('https://one/', 'uid-1');
    await eventually('it to be registered again', () => world.registration);
  });

  test('goes on with another kubeconfig without being given back', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    await world.accept();
    world.servers.set('https://other-address/', 'uid-1');
    world.change({ server: 'https://other-address/' });
    await until(world, 'account u1');
    assert.deepEqual(world.happened.slice(4), [
      'connect to uid-1',
      'drop u1',
      'no longer serve u1',
      'close uid-1',
      'update uid-1',
      'serve u1',
      'add u1 of uid-1',
      'account u1',
    ]);
  });

  test('is left alone when the kubeconfig says the same as before', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    world.change({});
    let looks = 0;
    const { source } = world.deps;
    const read = source.read.bind(source);
    Object.assign(source, {
      read: async (signal: AbortSignal) => {
        looks += 1;
        return await read(signal);
      },
    });
    await eventually('it to be looked at', () => looks > 2);
    assert.deepEqual(world.happened, ['connect to uid-1', 'register uid-1']);
  });

  test('that was rebuilt is another installation', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    await world.accept();
    world.servers.set('https://one/', 'uid-2');
    await until(world, 'account u1');
    assert.ok(world.happened.includes('update uid-2'));
    assert.ok(world.happened.includes('add u1 of uid-2'));
  });

  test('that this process serves as another target is refused, until it is not', async (t) => {
    const world = new World(new Map([['uid-1', 'first']]));
    running(t, world);
    await until(world, 'register uid-1');
    await assert.rejects(world.accept(), /the same cluster/, 'also if the platform lets it in');
    assert.equal(state(world), 'Refused');
    const { message } = world.states.at(-1) as { readonly message: string };
    assert.match(message, /the same cluster/);
    assert.doesNotMatch(message, /first/, 'its readers may not be allowed to know of the other target');
    world.instances.clear();
    await world.accept();
    await until(world, 'add u1 of uid-1');
  });

  test('that the platform refuses keeps out no target that it accepts, whichever was found first', async (t) => {
    const first = new World();
    running(t, first);
    await until(first, 'register uid-1');
    first.registration?.lost?.({ reason: 'sameCluster', message: 'another has it' });
    const second = new World(first.instances);
    second.deps = { ...second.deps, name: 'second' };
    running(t, second);
    await until(second, 'register uid-1');
    await second.accept();
    await until(second, 'add u1 of uid-1');
    await second.registration?.drop?.(REF);
    await first.accept();
    await until(first, 'add u1 of uid-1');
  });

  test('stores the id that tells it from a copy, and registers with that', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    const identity = '0199-issued';
    world.registration?.lost?.({ reason: 'sameCluster', message: 'another has it', identity });
    assert.equal(state(world), 'Refused');
    assert.deepEqual(world.issued, [identity]);
    world.servers.set('https://one/', identity);
    await until(world, `update ${identity}`);
  });

  test('stops at once when somebody else serves it, and goes on when it is ours again', async (t) => {
    const world = new World();
    running(t, world);
    await until(world, 'register uid-1');
    await world.accept();
    const registration = world.registration ?? assert.fail();
    registration.ref = undefined;
    const dropped = registration.drop?.(REF);
    assert.deepEqual(world.happened.slice(4), ['drop u1', 'no longer serve u1'], 'before anything is waited for');
    await dropped;
    registration.lost?.({ reason: 'superseded', message: 'closer' });
    assert.equal(state(world), 'StandingBy');
    registration.lost?.({ reason: 'notBound', message: 'deleted' });
    assert.deepEqual(world.states.at(-1), { kind: 'Refused', message: 'deleted' });
    await world.accept();
    assert.equal(state(world), 'Serving');
    assert.equal(world.happened.at(-1), 'add u1 of uid-1');
  });
});
