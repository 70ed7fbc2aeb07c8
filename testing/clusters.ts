import type { ClusterFacts } from './clusters/cluster-host.ts';
import { callHost, startHostProcess } from './clusters/host-calls.ts';
import { type ClusterSize, whyUnavailable } from './clusters/programs.ts';
import { CLUSTERS, skippedLine } from './clusters/run-clusters.ts';
import { type Cleaner, TestCluster } from './clusters/test-cluster.ts';
import { logToStderr } from './log-to-stderr.ts';
import { PATIENCE_MS } from './patience.ts';

export type { ClusterSize } from './clusters/programs.ts';
export type { Cleaner, TestCluster } from './clusters/test-cluster.ts';

export interface OwnClusterOptions {
  readonly size: ClusterSize;
  /** Prefix of its name. */
  readonly name?: string;
  /** API server flags that only this test needs, such as `--max-requests-inflight=2`. */
  readonly apiServerFlags?: readonly string[];
  /** Gives the cluster its own etcd, which `compact` needs. */
  readonly ownEtcd?: boolean;
}

let hasTold = false;

/** The reason why real clusters of this size cannot run here, or undefined. Logged prominently the first time. */
export async function clustersUnavailable(size: ClusterSize = 'apiserver'): Promise<string | undefined> {
  const why = whyUnavailable(size, process.env);
  if (why !== undefined && process.env[CLUSTERS] === undefined && !hasTold) {
    hasTold = true;
    logToStderr(skippedLine([size], why));
  }
  return why;
}

/** The cluster of this size that all suites of the run share; it starts on first use. Callers keep to their own namespaces. */
export async function sharedCluster(size: ClusterSize, signal: AbortSignal): Promise<TestCluster> {
  const socket = await hostSocket();
  const facts = await callHost<ClusterFacts>(socket, { do: 'shared', size }, signal);
  return new TestCluster({ facts, socket, shared: true });
}

/** A cluster for this test alone; it ends with the test. */
export async function ownCluster(t: Cleaner, options: OwnClusterOptions, signal: AbortSignal): Promise<TestCluster> {
  const socket = await hostSocket();
  const order = { name: 'own', ...options };
  const facts = await callHost<ClusterFacts>(socket, { do: 'create', order }, signal);
  t.after(async () => {
    await callHost(socket, { do: 'remove', name: facts.name }, AbortSignal.timeout(PATIENCE_MS));
  });
  return new TestCluster({ facts, socket, shared: false });
}

let started: Promise<string> | undefined;

/** The host started by the test runner for all, or else one for this process alone. */
async function hostSocket(): Promise<string> {
  const shared = process.env[CLUSTERS];
  if (shared) return shared;
  started ??= startHostProcess(process.env).then(({ socket }) => socket);
  return await started;
}
