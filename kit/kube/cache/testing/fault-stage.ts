import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import type { SeededRandom } from '#testing/seeded';
import { CORE } from '../../client/core-resources.ts';
import { createKubeClient, type KubeClientOptions } from '../../client/create-kube-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { parseKubeConfig } from '../../config/load-kube-config.ts';
import { FlakyLine } from './flaky-line.ts';

export interface FaultCase {
  readonly cluster: TestCluster;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
}

/** Faults that affect all clients at once. Each lasts seconds, and is over when it resolves. */
export const TROUBLES = ['none', 'restart', 'freeze', 'storm', 'token', 'certificate'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** For an API server that returns 429 when a few dozen clients send requests at once. */
export const EASILY_OVERRUN = [
  '--max-requests-inflight=8',
  '--max-mutating-requests-inflight=4',
  '--enable-priority-and-fairness=false',
];

const IMPATIENT = { timeoutMs: 2_000, pingIntervalMs: 1_000 };
const STORMERS = 60;
/** How long a client uses a file before it reads it again. */
const TRUSTED_MS = 10_000;

/** A real API server, a separate namespace, clients with connections that can be cut, and faults. `close` ends all of it. */
export class FaultStage {
  readonly namespace: string;
  readonly cluster: TestCluster;
  readonly random: SeededRandom;
  /** Connects directly to the server and is exempt from its limits, for the test itself. */
  readonly direct: KubeClient;
  readonly #folder = mkdtempSync(join(tmpdir(), 'fleetshift-kube-faults-'));
  readonly #lines: FlakyLine[] = [];
  readonly #closing: (() => Promise<void>)[] = [];
  #skewMs = 0;

  private constructor({ cluster, random }: FaultCase, namespace: string) {
    this.cluster = cluster;
    this.random = random;
    this.namespace = namespace;
    this.direct = this.#open({
      config: parseKubeConfig(cluster.kubeconfig()),
      limits: { ...IMPATIENT, timeoutMs: 10_000 },
    });
  }

  static async set(of: FaultCase): Promise<FaultStage> {
    const stage = new FaultStage(of, await of.cluster.namespace({ after: () => undefined }, 'faults'));
    await stage.#makeAccount(of.signal);
    writeFileSync(stage.#tokenFile, await stage.#newToken(of.signal));
    return stage;
  }

  /** A client with a connection of its own, with the token of a file. It gives up on a silent server after 2 s. */
  async behindLine(): Promise<{ readonly line: FlakyLine; readonly client: KubeClient }> {
    const line = await FlakyLine.to(this.cluster.server);
    this.#lines.push(line);
    this.#closing.push(() => line.close());
    return { line, client: this.#asAccount(line.server, { limits: { ...IMPATIENT, pingTimeoutMs: 2_000 } }) };
  }

  async trouble(kind: Trouble): Promise<void> {
    if (kind === 'restart') await this.cluster.restart();
    if (kind === 'freeze') await this.#freeze();
    if (kind === 'storm') await this.#storm();
    if (kind === 'token') await this.#expireToken();
    if (kind === 'certificate') {
      this.cluster.renewServerCertificate();
      await this.pause(0, 2_000);
      this.#cut();
    }
  }

  /** One per round: the mandatory ones in every case, random ones for the rest, in any order. */
  plan<K extends string>(always: readonly K[], more: readonly K[], rounds: number): readonly K[] {
    const rest = Array.from({ length: rounds - always.length }, () => this.random.pick(more));
    return this.random.shuffled([...always, ...rest]);
  }

  /** Waits for a time chosen by the seed. */
  async pause(min: number, max: number): Promise<void> {
    await delay(this.random.integer(min, max));
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #freeze(): Promise<void> {
    this.cluster.freeze();
    try {
      await this.pause(500, 5_000);
    } finally {
      this.cluster.thaw();
    }
  }

  /** Sends so many requests at once that the server refuses most with 429, including those of other clients. */
  async #storm(): Promise<void> {
    const end = AbortSignal.timeout(this.random.integer(500, 2_000));
    let refused = 0;
    const client = this.#asAccount(this.cluster.server, {
      limits: { maxInFlight: 2 * STORMERS },
      // Retries at once, whatever the server says.
      sleep: async () => {},
      observe: ({ code }) => {
        if (code === '429') refused += 1;
      },
    });
    const ref = { resource: CORE.configMaps, namespace: this.namespace };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'storm-' } };
    const ask = async (number: number): Promise<void> => {
      if (number % 2 === 0) await client.list(ref, {}, end);
      else await client.create(ref, object, { dryRun: true }, end);
    };
    const asking = Array.from({ length: STORMERS }, async (_, number) => {
      while (!end.aborted) await ask(number).catch(() => delay(1));
    });
    await Promise.all(asking);
    if (refused === 0) throw new Error('there was no storm: nobody was turned away');
  }

  /** The token is refused, and watches have to be restarted; a valid token comes late. */
  async #expireToken(): Promise<void> {
    writeFileSync(this.#tokenFile, 'expired');
    this.#skewMs += TRUSTED_MS;
    this.#cut();
    await this.pause(100, 1_500);
    writeFileSync(this.#tokenFile, await this.#newToken(AbortSignal.timeout(PATIENCE_MS)));
  }

  #cut(): void {
    for (const line of this.#lines) line.cut();
  }

  get #tokenFile(): string {
    return join(this.#folder, 'token');
  }

  /** An account with all permissions, but not exempt from the server's limits like its administrators. */
  async #makeAccount(signal: AbortSignal): Promise<void> {
    const { namespace, direct } = this;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT } };
    await direct.create({ resource: CORE.serviceAccounts, namespace }, account, {}, signal);
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace, name: ACCOUNT }],
    };
    await direct.create({ resource: CORE.clusterRoleBindings }, binding, {}, signal);
  }

  async #newToken(signal: AbortSignal): Promise<string> {
    const path = `/api/v1/namespaces/${this.namespace}/serviceaccounts/${ACCOUNT}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
    const request = { method: 'POST', path, body } as const;
    return (await this.direct.request<{ status: { token: string } }>(request, signal)).status.token;
  }

  #asAccount(server: string, options: Omit<KubeClientOptions, 'config'>): KubeClient {
    const { identity: _, ...config } = parseKubeConfig(this.cluster.kubeconfig());
    const identity = { token: { kind: 'file', path: this.#tokenFile } } as const;
    const clock = { now: () => Date.now() + this.#skewMs };
    return this.#open({ config: { ...config, server, identity }, clock, ...options });
  }

  #open(options: KubeClientOptions): KubeClient {
    const client = createKubeClient(options);
    this.#closing.push(() => client.close());
    return client;
  }
}

const ACCOUNT = 'tester';

/** Retries a write until it succeeds, whatever the fault; `done` recognises errors that mean it already has. */
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
