import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { KubeClient } from '../../client/kube-client.ts';
import type { KubeObject, Resource } from '../../client/kube-object.ts';

/** What the suite needs to run on one server. */
export interface ContractServer {
  readonly client: KubeClient;
  /** A fresh one, by name. */
  namespace(): Promise<string>;
  /** Serves another kind from now on, of which there is nothing yet; resolves once it can be used. */
  serve(resource: Resource): Promise<void>;
  close(): Promise<void>;
}

export type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** Tests whose server does not do something, each with the reason. */
export type Skips = Readonly<Record<string, string>>;

/** Where the topics of the suite meet their server. */
export class Stage {
  readonly #skips: Skips;
  readonly #known = new Set<string>();
  #server: ContractServer | undefined;

  constructor(skips: Skips) {
    this.#skips = skips;
  }

  async enter(server: Promise<ContractServer>): Promise<void> {
    this.#server = await server;
  }

  async leave(): Promise<void> {
    await this.#server?.close();
  }

  get client(): KubeClient {
    return this.server.client;
  }

  get server(): ContractServer {
    if (!this.#server) throw new Error('the stage has not been entered');
    return this.#server;
  }

  /** Every test has a deadline of its own, and most have a namespace of their own. */
  it(name: string, body: (signal: AbortSignal) => Promise<void>): void {
    this.#known.add(name);
    const reason = this.#skips[name];
    it(name, reason === undefined ? {} : { skip: reason }, () => body(AbortSignal.timeout(PATIENCE_MS)));
  }

  /** Skips that name no test: it was renamed, or it is not skipped at all. */
  unknownSkips(): string[] {
    return Object.keys(this.#skips).filter((name) => !this.#known.has(name));
  }
}

/** A kind that no server brings, with a name of its own each time. */
export function customKind(): Resource {
  const word = `thing${randomBytes(4).toString('hex')}`;
  return {
    group: 'contract.example.com',
    version: 'v1',
    plural: `${word}s`,
    kind: `T${word.slice(1)}`,
    namespaced: true,
  };
}

export function configMap(
  name: string,
  data: Record<string, string> = {},
  metadata: KubeObject['metadata'] = {},
): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name }, data };
}

export function deployment(name: string, replicas = 1): KubeObject & { readonly spec: { readonly replicas: number } } {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}
