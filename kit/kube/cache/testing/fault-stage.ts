import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster } from '#testing/clusters';
import type { SeededRandom } from '#testing/seeded';
import { createKubeClient } from '../../client/create-kube-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { parseKubeConfig } from '../../config/load-kube-config.ts';
import { FlakyLine } from './flaky-line.ts';

export interface FaultCase {
  readonly cluster: TestCluster;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
}

/** What may befall everybody at once. Each lasts seconds, and all is well when it resolves. */
export const TROUBLES = ['none', 'restart', 'freeze'] as const;

/** A real API server, a namespace of one's own, clients with lines to cut, and trouble. All of it ends with `close`. */
export class FaultStage {
  readonly namespace: string;
  readonly cluster: TestCluster;
  readonly random: SeededRandom;
  /** Straight to the server, for the hand of the test. */
  readonly direct: KubeClient;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor({ cluster, random }: FaultCase, namespace: string) {
    this.cluster = cluster;
    this.random = random;
    this.namespace = namespace;
    this.direct = this.#client(cluster.server, 10_000);
  }

  static async set(of: FaultCase): Promise<FaultStage> {
    return new FaultStage(of, await of.cluster.namespace({ after: () => undefined }, 'faults'));
  }

  /** A client behind a line of its own. It gives up on a silent server after 2 s. */
  async behindLine(): Promise<{ readonly line: FlakyLine; readonly client: KubeClient }> {
    const line = await FlakyLine.to(this.cluster.server);
    this.#closing.push(() => line.close());
    return { line, client: this.#client(line.server, 2_000) };
  }

  async trouble(kind: (typeof TROUBLES)[number]): Promise<void> {
    if (kind === 'restart') await this.cluster.restart();
    if (kind !== 'freeze') return;
    this.cluster.freeze();
    try {
      await this.pause(500, 5_000);
    } finally {
      this.cluster.thaw();
    }
  }

  /** One for each round: what must be tried in every case, and chance for the rest, in any order. */
  plan<K extends string>(always: readonly K[], more: readonly K[], rounds: number): readonly K[] {
    const rest = Array.from({ length: rounds - always.length }, () => this.random.pick(more));
    return this.random.shuffled([...always, ...rest]);
  }

  /** A stretch of time that the seed chooses: what happens meanwhile is the test. */
  async pause(min: number, max: number): Promise<void> {
    await delay(this.random.integer(min, max));
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  #client(server: string, timeoutMs: number): KubeClient {
    const config = { ...parseKubeConfig(this.cluster.kubeconfig()), server };
    const client = createKubeClient({ config, limits: { timeoutMs, pingIntervalMs: 600_000 } });
    this.#closing.push(() => client.close());
    return client;
  }
}

/** Tries a write until it got through, whatever is wrong meanwhile; `done` says of an error that it has been done. */
export async function insist<T>(
  write: (signal: AbortSignal) => Promise<T>,
  done: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await write(signal);
    } catch (error) {
      if (done(error)) return undefined;
      signal.throwIfAborted();
      await delay(50, undefined, { signal });
    }
  }
}
