import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKubeClient, type KubeClient, parseKubeConfig } from '#kit/kube';
import { installCapiDefinitions } from '#testing/capi';
import { type Cleaner, ownCluster, type TestCluster } from '#testing/clusters';
import { installPackage } from '../install-package.ts';
import { AuditLog, BENCH_AGENT } from './audit-log.ts';

/** An API server, and its audit log. */
export interface Server {
  readonly cluster: TestCluster;
  readonly client: KubeClient;
  readonly audit: AuditLog;
}

export interface World {
  /** The path of our program as users install it: from the sources, its memory would include the compiler. */
  readonly fleetshift: string;
  readonly management: Server;
  readonly workloads: readonly Server[];
}

/** One management cluster with Cluster API's kinds, and this many workload clusters, shared by all runs. */
export async function openWorld(t: Cleaner, workloads: number, signal: AbortSignal): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-crs-bench-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (name: string): Promise<Server> => {
    const audit = new AuditLog(folder, name);
    const options = { size: 'apiserver', name, apiServerFlags: audit.flags } as const;
    const cluster = await ownCluster(t, options, signal);
    const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()), userAgent: BENCH_AGENT });
    t.after(() => client.close());
    return { cluster, client, audit };
  };
  const names = Array.from({ length: workloads }, (_, index) => `workload-${index}`);
  const [management, ...rest] = await Promise.all(['management', ...names].map(start));
  if (management === undefined) throw new Error('start the management cluster: there is none');
  await installCapiDefinitions(management.cluster, {}, signal);
  const installed = await installPackage(folder, signal);
  return { fleetshift: join(installed, 'bin', 'fleetshift'), management, workloads: rest };
}
