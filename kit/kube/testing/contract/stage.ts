import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import type { KubeClient } from '../../client/kube-client.ts';
import type { KubeObject, Resource } from '../../client/kube-object.ts';

/** Everything the suite needs to run on one server. */
export interface ContractServer {
  readonly client: KubeClient;
  /** Creates a namespace; returns its name. */
  namespace(): Promise<string>;
  /** Serves another kind, without objects; resolves when it can be used. */
  serve(resource: Resource): Promise<void>;
  close(): Promise<void>;
}

export type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** Tests that the server does not support, each with the reason. */
export type Skips = Readonly<Record<string, string>>;

/** Connects the topics of the suite with their server. */
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

  /** Every test has its own deadline, and most have their own namespace. */
  it(name: string, body: (signal: AbortSignal) => Promise<void>): void {
    this.#known.add(name);
    const reason = this.#skips[name];
    it(name, reason === undefined ? {} : { skip: reason }, () => body(AbortSignal.timeout(PATIENCE_MS)));
  }

  /** Skips that match no test: the test was renamed or removed. */
  unknownSkips(): string[] {
    return Object.keys(this.#skips).filter((name) => !this.#known.has(name));
  }
}

/** A kind that no server has, with a new name each time. */
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
