import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { LocalClient, TargetClaim, TargetHandlers } from '#contexts/channels';
import type { Observation } from '#contexts/proxied-clusters';
import type { ProxiedClusters, ServableCluster } from '#contexts/proxied-clusters/adapters';
import { Secret } from '#kit/std';
import type { Storage } from '#kit/storage';
import { memoryLogger } from '#kit/telemetry/testing';
import type { ConnectCluster } from '#runtime/cluster-agent/clusters/connect-cluster';
import { eventually } from '../../../kit/durable/testing/eventually.ts';
import { FakeLeadership } from '../testing/fake-leadership.ts';
import { proxyAgent } from './proxy-agent.ts';

const NO_STORAGE = {} as Storage;

/** Stored kubeconfigs, addresses of servers, and the messages to the fleetlet. */
class World {
  readonly happened: string[] = [];
  readonly observed = new Map<string, Observation>();
  readonly leadership = new FakeLeadership(true, NO_STORAGE);
  readonly away = new Set<string>();
  #stored: (ServableCluster & { readonly server: string })[] = [];
  #listeners = new Set<() => void>();

  put(name: string, server: string, its: Partial<ServableCluster> = {}): void {
    const version = (this.#stored.find((each) => each.name === name)?.version ?? 0) + 1;
    const cluster = { target: `uid-${name}`, name, version, wasStandingBy: false, server, ...its };
    this.#stored = [...this.#stored.filter((each) => each.name !== name), cluster];
    this.#tell();
  }

  remove(name: string): void {
    this.#stored = this.#stored.filter((each) => each.name !== name);
    this.#tell();
  }

  readonly clusters: ProxiedClusters = {
    routes: [],
    list: async () => this.#stored,
    kubeconfig: async (target) => {
      const found = this.#stored.find((each) => each.target === target);
      return found && { text: new Secret(kubeconfig(found.server)), version: found.version };
    },
    observe: async (_storage, { cluster: { name, version }, observed }) => {
      if (this.#stored.some((each) => each.name === name && each.version === version))
        this.observed.set(name, observed);
    },
    onChanged: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  readonly connect: ConnectCluster = async (config) => {
    const { hostname } = new URL(config.server);
    if (this.away.has(hostname)) throw new Error(`nobody is at ${hostname}`);
    return {
      config,
      kube: {},
      ports: { instance: `cluster ${hostname}` },
      look: async () => ({ instance: `cluster ${hostname}` }),
      facts: async () => ({ version: 'v1', labels: {} }),
      close: async () => {},
    } as unknown as Awaited<ReturnType<ConnectCluster>>;
  };

  /** The platform refuses everything, so that nothing has to be served. */
  connectWithin(): LocalClient {
    this.happened.push('connect');
    return {
      open: () => ({ send: async () => {} }),
      serveTunnel: () => () => {},
      registerTarget: ({ name, instance }: TargetClaim, handlers: TargetHandlers) => {
        this.happened.push(`register ${name}: ${instance}`);
        queueMicrotask(() => handlers.refused?.('served', 'one that is closer'));
        return {
          update: (claim: TargetClaim) => void this.happened.push(`update ${claim.name}: ${claim.instance}`),
          deregister: async () => void this.happened.push(`deregister ${name}`),
        };
      },
      run: async (signal: AbortSignal) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        this.happened.push('disconnect');
      },
    } as unknown as LocalClient;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
  });
}

function running(t: TestContext, world: World): void {
  const over = new AbortController();
  const agent = proxyAgent({
    clusters: world.clusters,
    connectWithin: () => world.connectWithin(),
    connect: world.connect,
    leadership: world.leadership,
    version: '1.0.0',
    environment: {},
    log: memoryLogger().log,
    pace: { lookMs: 5, retry: { baseMs: 1, capMs: 5 } },
  });
  const done = agent.run(over.signal).catch(() => {});
  t.after(async () => {
    over.abort();
    await done;
  });
}

const until = (world: World, word: string) => eventually(word, () => world.happened.includes(word));

suite('the agent of clusters that the platform serves', () => {
  test('is not there before there is one', async (t) => {
    const world = new World();
    running(t, world);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(world.happened, []);
    world.put('a', 'https://one/');
    await until(world, 'register a: cluster one');
  });

  test('follows what is put and what is removed, and writes down how it stands', async (t) => {
    const world = new World();
    world.put('a', 'https://one/');
    running(t, world);
    await eventually('it to be put down', () => world.observed.get('a')?.state === 'StandingBy');
    assert.partialDeepStrictEqual(world.observed.get('a'), {
      message: 'one that is closer',
      clusterUid: 'cluster one',
    });
    world.away.add('two');
    world.put('b', 'https://two/');
    await eventually('it to be put down', () => world.observed.get('b')?.state === 'Unreachable');
    world.put('b', 'https://three/');
    await until(world, 'register b: cluster three');
    world.put('a', 'https://one-moved/');
    await until(world, 'update a: cluster one-moved');
    world.remove('a');
    await until(world, 'deregister a');
    assert.ok(!world.happened.includes('deregister b'));
  });

  test('serves no target for another of the same name', async (t) => {
    const world = new World();
    world.put('a', 'https://one/');
    running(t, world);
    await until(world, 'register a: cluster one');
    world.put('a', 'https://two/', { target: 'uid-other' });
    await until(world, 'deregister a');
    await until(world, 'register a: cluster two');
  });

  test('leaves those alone for a while that somebody who is closer served', async (t) => {
    const world = new World();
    world.put('a', 'https://one/', { wasStandingBy: true });
    world.put('b', 'https://two/');
    running(t, world);
    await until(world, 'register b: cluster two');
    assert.ok(!world.happened.some((each) => each.startsWith('register a')));
  });

  test('stops when another process acts for the platform, and begins again when this one does', async (t) => {
    const world = new World();
    world.put('a', 'https://one/');
    running(t, world);
    await until(world, 'register a: cluster one');
    world.leadership.set(false);
    await until(world, 'disconnect');
    assert.ok(world.happened.includes('deregister a'));
    const before = world.happened.length;
    world.leadership.set(true);
    await eventually('it to begin again', () => world.happened.slice(before).includes('register a: cluster one'));
  });
});
