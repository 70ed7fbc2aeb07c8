import { readFileSync } from 'node:fs';
import { callHost, type HostProcess, startHostProcess } from './host-calls.ts';
import { CLUSTER_SIZES, type ClusterSize, whyUnavailable } from './programs.ts';

/** What test processes are told: where the host of the run's clusters listens. Empty: there are none, as was said aloud. */
export const CLUSTERS = 'FLEETSHIFT_TEST_CLUSTERS';

/**
 * A host of clusters for all these test files, if any of them asks for one. The first time ever, the programs are built,
 * which takes minutes; clusters start when a test asks.
 */
export async function startRunClusters(
  files: readonly string[],
  log: (line: string) => void,
): Promise<HostProcess | undefined> {
  const asked = files.map((file) => readFileSync(file, 'utf8')).filter((text) => text.includes('testing/clusters'));
  if (asked.length === 0) return undefined;
  const sizes = CLUSTER_SIZES.filter(
    (size) => size === 'apiserver' || asked.some((text) => text.includes(`'${size}'`)),
  );
  const missing = sizes.filter((size) => whyUnavailable(size, process.env) !== undefined);
  const largest = missing.at(-1);
  if (largest) log(skippedLine(missing, whyUnavailable(largest, process.env) ?? ''));
  return await prepare(sizes.filter((size) => !missing.includes(size)));
}

/** What nobody may miss. */
export function skippedLine(sizes: readonly ClusterSize[], why: string): string {
  return `SKIPPED: nothing is tested on real clusters of size ${sizes.join(', ')}, since ${why}`;
}

async function prepare(sizes: readonly ClusterSize[]): Promise<HostProcess | undefined> {
  if (sizes.length === 0) return { socket: '', pid: undefined, stop: async () => {} };
  const host = await startHostProcess(process.env);
  try {
    for (const size of sizes) await callHost(host.socket, { do: 'prepare', size }, new AbortController().signal);
    return host;
  } catch (error) {
    await host.stop();
    throw error;
  }
}
