import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { KubernetesAgent } from '#contexts/kubernetes';
import { openCluster } from '#contexts/kubernetes/adapters';
import { createKubeClient, isKubeError, type KubeClient, type KubeObject, parseKubeConfig } from '#kit/kube';
import { type Clock, sleep, systemClock, type Uuid, uuidv7 } from '#kit/std';
import type { DeliverOrder, DeliveryReport, Document, HealthRule, Inventory, PreviewAnswer } from '#protocol/delivery';
import type { Cleaner, TestCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { aTarget } from '../../contexts/delivery/testing/an-order.ts';
import { RecordingReports } from '../../contexts/delivery/testing/recording-reports.ts';

export interface RigOptions {
  readonly t: Cleaner;
  readonly cluster: TestCluster;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Leads to the API server by a way other than the direct one. */
  readonly kubeconfig?: string;
}

export interface DeliverOptions {
  readonly deployment?: Uuid;
  readonly revision?: number;
  readonly namespace?: string;
  readonly healthRules?: readonly HealthRule[];
  readonly driftPolicy?: 'report' | 'repair';
  /** Fields of a `DeliveryPolicy`. */
  readonly policy?: object;
}

type Health = Extract<DeliveryReport, { kind: 'health' }>;

/** An agent that serves a real cluster, a deployment of its own, and helpers to observe the outcome. */
export class Rig {
  readonly client: KubeClient;
  readonly reports = new RecordingReports();
  readonly deployment: Uuid = uuidv7();
  readonly target = aTarget(1, { type: 'kubernetes' });
  readonly namespace: string;
  /** The namespace where the agent keeps its state. */
  readonly home = `agent-${randomBytes(5).toString('hex')}`;
  readonly signal: AbortSignal;
  readonly cluster: TestCluster;
  readonly #clock: Clock;
  #agent: KubernetesAgent | undefined;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #revision = 0;

  private constructor({ cluster, signal, clock = systemClock, kubeconfig }: RigOptions, namespace: string) {
    this.cluster = cluster;
    this.signal = signal;
    this.namespace = namespace;
    this.#clock = clock;
    this.client = createKubeClient({ config: parseKubeConfig(kubeconfig ?? cluster.kubeconfig()) });
  }

  static async open(options: RigOptions): Promise<Rig> {
    const rig = new Rig(options, await options.cluster.namespace(options.t));
    options.t.after(async () => await rig.#close());
    await rig.startAgent();
    return rig;
  }

  get agent(): KubernetesAgent {
    assert.ok(this.#agent, 'there is an agent');
    return this.#agent;
  }

  get revision(): number {
    return this.#revision;
  }

  async startAgent(): Promise<void> {
    this.#stop = new AbortController();
    const stop = this.#stop.signal;
    // Failures show up in reports; here only the retry matters.
    const onTrouble = (): void => {};
    const agent = new KubernetesAgent({ reports: this.reports, sleep, clock: this.#clock, onTrouble });
    const ports = await openCluster({ client: this.client, namespace: this.home }, this.signal);
    await agent.add({ target: this.target, ...ports });
    this.#agent = agent;
    this.#running = agent.run(stop);
  }

  /** Stops the agent at once, whatever it is doing. */
  async stopAgent(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #close(): Promise<void> {
    await this.stopAgent();
    const resource = await this.client.discovery
      .resourceFor('v1', 'Namespace', AbortSignal.timeout(PATIENCE_MS))
      .catch(() => undefined);
    const gone = resource && this.client.delete({ resource, name: this.home }, {}, AbortSignal.timeout(PATIENCE_MS));
    await gone?.catch(() => {});
    await this.client.close();
  }

  order(documents: readonly object[], options: DeliverOptions = {}): DeliverOrder {
    const { policy, deployment = this.deployment, revision = this.#revision, namespace = this.namespace } = options;
    const how = policy && { apiVersion: 'kubernetes.fleetshift.io/v1', kind: 'DeliveryPolicy', ...policy };
    const { healthRules = [], driftPolicy = 'report' } = options;
    const all = [...(how ? [how] : []), ...documents] as readonly Document[];
    const hash = `sha256:${revision}-${all.length}`;
    const content = { hash, documents: all, namespace, healthRules, driftPolicy, secretPlaces: [] };
    return { kind: 'deliver', target: this.target, deployment, revision, ...content };
  }

  /** Delivers and waits for acceptance; under the next revision by default. */
  async deliver(documents: readonly object[], options: DeliverOptions = {}): Promise<void> {
    this.#revision = options.revision ?? this.#revision + 1;
    const order = this.order(documents, options);
    assert.deepEqual(await this.agent.dispatch(order, this.signal), { kind: 'accepted' });
  }

  /** Delivers and waits until the documents are applied. */
  async bring(documents: readonly object[], options: DeliverOptions = {}): Promise<void> {
    await this.deliver(documents, options);
    await this.applied(options.deployment);
  }

  async preview(documents: readonly object[], options: DeliverOptions = {}): Promise<PreviewAnswer> {
    const answer = await this.agent.preview(
      this.order(documents, { revision: this.#revision + 1, ...options }),
      this.signal,
    );
    assert.ok(answer, 'the agent can tell');
    return answer;
  }

  async remove(): Promise<void> {
    await this.startRemoval();
    await this.#heard('removed');
  }

  async startRemoval(): Promise<void> {
    this.#revision += 1;
    const order = {
      kind: 'remove',
      target: this.target,
      deployment: this.deployment,
      revision: this.#revision,
    } as const;
    assert.deepEqual(await this.agent.dispatch(order, this.signal), { kind: 'accepted' });
  }

  async removed(): Promise<void> {
    await this.#heard('removed');
  }

  async applied(deployment: Uuid = this.deployment): Promise<void> {
    const report = await this.reports.until((said) => {
      const isOurs = 'revision' in said && said.revision === this.#revision && said.deployment === deployment;
      return isOurs && ['applied', 'failed', 'rejected'].includes(said.kind);
    }, this.signal);
    assert.equal(report.kind, 'applied', JSON.stringify(report));
  }

  async failed(): Promise<string> {
    return (await this.#heard('failed')).message;
  }

  async rejected(): Promise<string> {
    return (await this.#heard('rejected')).message;
  }

  /** Waits for a health report that matches. */
  async isSaid(health: Health['health'], message: RegExp = /^/): Promise<string> {
    const report = await this.reports.until(
      (said) =>
        this.#isNow(said, 'health') && said.kind === 'health' && said.health === health && message.test(said.message),
      this.signal,
    );
    return (report as Health).message;
  }

  /** The first drift report of this revision since the last `forget`. */
  async drifted(
    isLikeThis: (objects: readonly string[]) => boolean = (objects) => objects.length > 0,
  ): Promise<readonly string[]> {
    const report = await this.reports.until(
      (said) => this.#isNow(said, 'drift') && said.kind === 'drift' && isLikeThis(said.objects),
      this.signal,
    );
    return (report as Extract<DeliveryReport, { kind: 'drift' }>).objects;
  }

  forget(): void {
    this.reports.clear();
  }

  async inventory(): Promise<Inventory> {
    return await this.agent.inventory(this.target, this.signal);
  }

  async get<T extends KubeObject = Live>(
    apiVersion: string,
    kind: string,
    name: string,
    namespace = this.namespace,
  ): Promise<T | undefined> {
    const resource = await this.client.discovery.resourceFor(apiVersion, kind, this.signal);
    try {
      return await this.client.get<T>({ resource, name, ...(resource.namespaced && { namespace }) }, this.signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  }

  /** Reads an object that must exist. */
  async live<T extends KubeObject = Live>(
    apiVersion: string,
    kind: string,
    name: string,
    namespace?: string,
  ): Promise<T> {
    const found = await this.get<T>(apiVersion, kind, name, namespace);
    assert.ok(found, `${kind} ${name} is there`);
    return found;
  }

  /** Server-side apply as another field manager. */
  async byAnother(object: Doc, { manager = 'somebody', force = false } = {}): Promise<void> {
    const resource = await this.client.discovery.resourceFor(object.apiVersion, object.kind, this.signal);
    const namespace = object.metadata.namespace ?? this.namespace;
    const ref = { resource, name: object.metadata.name, ...(resource.namespaced && { namespace }) };
    await this.client.apply(ref, object, { fieldManager: manager, force }, this.signal);
  }

  /** The server's refusal of creating the object now; empty if it would accept. */
  async refusal(object: Doc): Promise<string> {
    const resource = await this.client.discovery.resourceFor(object.apiVersion, object.kind, this.signal);
    const made = { ...object, metadata: { ...object.metadata, namespace: this.namespace } };
    return await this.client.create({ resource, namespace: this.namespace }, made, { dryRun: true }, this.signal).then(
      () => '',
      (error: unknown) => String(error),
    );
  }

  async patch(apiVersion: string, kind: string, name: string, patch: object, subresource?: string): Promise<void> {
    const resource = await this.client.discovery.resourceFor(apiVersion, kind, this.signal);
    const ref = { resource, name, ...(resource.namespaced && { namespace: this.namespace }) };
    const options = { fieldManager: 'somebody', ...(subresource && { subresource }) };
    await this.client.patch(ref, { type: 'merge', patch }, options, this.signal);
  }

  async delete(apiVersion: string, kind: string, name: string): Promise<void> {
    const resource = await this.client.discovery.resourceFor(apiVersion, kind, this.signal);
    const ref = { resource, name, ...(resource.namespaced && { namespace: this.namespace }) };
    await this.client.delete(ref, {}, this.signal);
  }

  async gone(apiVersion: string, kind: string, name: string): Promise<void> {
    await this.until(async () => (await this.get(apiVersion, kind, name)) === undefined);
  }

  /** Polls, for changes that no report announces. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await sleep(50, this.signal);
  }

  async #heard<K extends 'removed' | 'failed' | 'rejected'>(kind: K) {
    const report = await this.reports.until((said) => this.#isNow(said, kind), this.signal);
    return report as Extract<DeliveryReport, { kind: K }>;
  }

  #isNow(said: { readonly kind: string }, kind: string): boolean {
    const { revision, deployment } = said as Partial<DeliveryReport>;
    return said.kind === kind && revision === this.#revision && deployment === this.deployment;
  }
}

export interface Doc {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The object fields that tests read. */
export interface Live extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly [field: string]: unknown };
  readonly status?: { readonly [field: string]: unknown };
}
