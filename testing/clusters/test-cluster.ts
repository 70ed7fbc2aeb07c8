import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { PATIENCE_MS } from '../patience.ts';
import { ApiClient } from './api-client.ts';
import { issueClientPair, type KeyPair } from './certificate-authority.ts';
import { ClusterFiles } from './cluster-files.ts';
import type { ClusterFacts } from './cluster-host.ts';
import { callHost } from './host-calls.ts';
import { clientConfig } from './kubeconfig.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from './kubectl.ts';
import type { ClusterSize } from './programs.ts';
import { type SlowNetwork, type SlowNetworkOptions, startSlowNetwork } from './slow-network.ts';
import { stopInItsTracks } from './stop-in-its-tracks.ts';

/** The part of a test context needed for cleanup. */
export interface Cleaner {
  after(fn: () => Promise<void> | void): void;
}

export interface TestClusterOptions {
  readonly facts: ClusterFacts;
  /** Where its host listens. */
  readonly socket: string;
  readonly shared: boolean;
}

/** A real control plane on loopback, as a test sees it. */
export class TestCluster {
  readonly name: string;
  readonly size: ClusterSize;
  /** `https://127.0.0.1:port` */
  readonly server: string;
  /** The CA certificate of the server, as PEM. */
  readonly ca: string;
  /** Token of a user in `system:masters`. */
  readonly adminToken: string;
  readonly #files: ClusterFiles;
  readonly #socket: string;
  readonly #shared: boolean;
  readonly #api: ApiClient;
  #pid: number;

  constructor({ facts, socket, shared }: TestClusterOptions) {
    this.name = facts.name;
    this.size = facts.size;
    this.server = facts.server;
    this.#files = new ClusterFiles(facts.folder, facts.server);
    this.ca = this.#files.authority.cert;
    this.adminToken = this.#files.adminToken;
    this.#socket = socket;
    this.#shared = shared;
    this.#pid = facts.pid;
    this.#api = new ApiClient({ server: this.server, ca: this.ca, token: this.adminToken });
  }

  /** A kubeconfig of the admin, or of a user with any name, whose only rights come from RBAC. */
  kubeconfig(user = 'admin'): string {
    if (user === 'admin') return this.#files.read('admin.kubeconfig');
    const credentials = this.clientCertificate(user);
    return clientConfig({ server: this.server, ca: this.ca, user, credentials });
  }

  /** The same as a file, which is removed with the cluster. */
  kubeconfigFile(user = 'admin'): string {
    if (user === 'admin') return this.#files.path('admin.kubeconfig');
    const file = this.#files.path(`user-${randomBytes(6).toString('hex')}.kubeconfig`);
    writeFileSync(file, this.kubeconfig(user), { mode: 0o600 });
    return file;
  }

  /** Path of the audit log: one line of JSON for each request of users in the group `AUDITED`. */
  get auditLog(): string {
    return this.#files.path('audit.log');
  }

  clientCertificate(user: string, groups: readonly string[] = []): KeyPair {
    return issueClientPair(this.#files.authority, user, groups);
  }

  /** Runs the real kubectl, as the admin by default. A non-zero exit code is returned, not thrown. */
  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    return await runKubectl(
      { args, kubeconfig: this.kubeconfigFile(options.user), folder: this.#files.folder },
      options,
    );
  }

  /**
   * Creates a namespace for this test alone. It is deleted after the test, if the cluster is shared and has a controller
   * to delete it.
   */
  async namespace(t: Cleaner, prefix = 'test'): Promise<string> {
    const name = `${prefix}-${randomBytes(5).toString('hex')}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.#api.send('POST', '/api/v1/namespaces', body, AbortSignal.timeout(PATIENCE_MS));
    if (this.#shared && this.size !== 'apiserver') {
      t.after(() => this.#api.delete(`/api/v1/namespaces/${name}`, AbortSignal.timeout(PATIENCE_MS)));
    }
    return name;
  }

  /** Kills the API server, as a crash would. Its data stays. */
  async stop(): Promise<void> {
    this.#own('stop');
    await callHost(this.#socket, { do: 'stop', name: this.name }, AbortSignal.timeout(PATIENCE_MS));
  }

  /** Starts the API server again, at the same address. */
  async start(): Promise<void> {
    this.#own('start');
    const call = { do: 'start', name: this.name } as const;
    const facts = await callHost<ClusterFacts>(this.#socket, call, AbortSignal.timeout(PATIENCE_MS));
    this.#pid = facts.pid;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Suspends the API server: connections stay open, but get no answers. */
  freeze(): void {
    this.#own('freeze');
    stopInItsTracks(this.#pid);
  }

  thaw(): void {
    this.#own('thaw');
    process.kill(this.#pid, 'SIGCONT');
  }

  /** Drops the history of its etcd, which must be its own: watches from earlier versions get 410. */
  async compact(): Promise<void> {
    await callHost(this.#socket, { do: 'compact', name: this.name }, AbortSignal.timeout(PATIENCE_MS));
  }

  /** Issues a new certificate from the same authority. The server loads it by itself, within about a second. */
  renewServerCertificate(): void {
    this.#own('renew the certificate of');
    this.#files.renewServerPair();
  }

  /** Another address of the API server, behind a slow or faulty network. */
  async slowNetwork(options: SlowNetworkOptions): Promise<SlowNetwork> {
    return await startSlowNetwork(Number(new URL(this.server).port), options);
  }

  #own(what: string): void {
    if (this.#shared) throw new Error(`${what} cluster ${this.name}: others use it; ask for one of your own`);
  }
}
