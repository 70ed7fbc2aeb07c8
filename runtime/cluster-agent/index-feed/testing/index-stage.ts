import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectLocal } from '#contexts/channels/adapters';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { memoryLogger } from '#kit/telemetry/testing';
import type { Cleaner } from '#testing/clusters';
import { type ServingPlatform, servingPlatform } from '../../../../apps/platform/channels/testing/serving-platform.ts';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { openIndexFeed } from '../open-index-feed.ts';

export interface IndexedThing {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly health: string;
  readonly deployment?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly expireTime?: string;
}

interface KindStatus {
  readonly type: string;
  readonly state?: string;
  readonly message?: string;
  readonly objects?: number;
}

export interface RunningAgent {
  stop(): Promise<void>;
}

const PACE = { batchMs: 20, reportMs: 100, againBaseMs: 20, againCapMs: 200, refusedMs: 500 };

/** A complete platform; agents of clusters connect to its own fleetlet. */
export class IndexStage {
  readonly platform: ServingPlatform;
  readonly #socket: string;
  readonly #t: Cleaner;

  private constructor(platform: ServingPlatform, socket: string, t: Cleaner) {
    this.platform = platform;
    this.#socket = socket;
    this.#t = t;
  }

  static async open(t: Cleaner): Promise<IndexStage> {
    const folder = await mkdtemp(join(tmpdir(), 'fs-index-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const socket = join(folder, 'fleetlet.sock');
    const platform = await servingPlatform(['--fleetlet-socket', socket]);
    t.after(() => platform.stop());
    return new IndexStage(platform, socket, t);
  }

  async target(name: string, workspace = 'root'): Promise<void> {
    await this.platform.call('POST', '/v1/targets', { name, type: 'kubernetes', workspace });
    await this.platform.call('POST', '/v1/fleetlets/platform:bind', { target: name });
  }

  client(kubeconfig: string): KubeClient {
    const client = createKubeClient({ config: parseKubeConfig(kubeconfig) });
    this.#t.after(() => client.close());
    return client;
  }

  /** Like a separate process: without any remembered state. */
  async agent(name: string, kube: KubeClient): Promise<RunningAgent> {
    const over = new AbortController();
    const client = connectLocal({ to: { path: this.#socket }, process: `agent-of-${name}` });
    const { log } = memoryLogger();
    const feed = openIndexFeed({ client, log, pace: PACE });
    const accepted = Promise.withResolvers<string>();
    client.registerTarget(claimOf(name), { accepted: accepted.resolve });
    const running = [client.run(over.signal)];
    const targetUid = await accepted.promise;
    running.push(feed.serveIndex({ kube, targetUid, targetName: name }, over.signal));
    const stop = async (): Promise<void> => {
      over.abort();
      await Promise.all(running);
    };
    this.#t.after(stop);
    return { stop };
  }

  async indexed(target: string, query: Readonly<Record<string, string>>): Promise<readonly IndexedThing[]> {
    const text = new URLSearchParams({ pageSize: '1000', ...query });
    return (
      await this.platform.call<{ items: IndexedThing[] }>('GET', `/v1/targets/${target}/index?${text.toString()}`)
    ).items;
  }

  async names(target: string, query: Readonly<Record<string, string>>): Promise<readonly string[]> {
    return (await this.indexed(target, query)).map(({ name }) => name);
  }

  async kind(target: string, type: string): Promise<KindStatus | undefined> {
    const path = `/v1/targets/${target}/index-status`;
    const { kinds } = await this.platform.call<{ kinds: KindStatus[] }>('GET', path);
    return kinds.find((kind) => kind.type === type);
  }

  async stateIs(target: string, type: string, state: string): Promise<void> {
    await this.until(`${type} is ${state}`, async () => (await this.kind(target, type))?.state === state);
  }

  /** Waits until every kind of the schema is followed. */
  async followed(target: string): Promise<void> {
    await this.until('everything is followed', async () => {
      const path = `/v1/targets/${target}/index-status`;
      const { kinds } = await this.platform.call<{ kinds: KindStatus[] }>('GET', path);
      return kinds.every(({ state }) => state === 'Followed');
    });
  }

  /** Number of objects put since the platform started. */
  async puts(): Promise<number> {
    const text = await (await fetch(`${this.platform.api}/metrics`)).text();
    const [, count = '0'] = /^fleetshift_index_changes_total\{kind="put"\} (\d+)/m.exec(text) ?? [];
    return Number(count);
  }

  async until(what: string, probe: () => Promise<boolean>): Promise<void> {
    await eventually(what, probe);
  }
}

function claimOf(name: string) {
  return {
    name,
    type: 'kubernetes',
    serving: 'colocated',
    labels: {},
    properties: '{}',
    manifestTypes: [],
    instance: name,
    agentVersion: '1',
  } as const;
}
