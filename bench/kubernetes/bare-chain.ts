import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roleGroup, userNamed } from '../../contexts/api-proxy/domain/proxy-identity.ts';
import { productFlags } from '../product-flags.ts';
import type { BareHop } from './bare-hop-process.ts';
import type { BenchCluster } from './bench-clusters.ts';

const PROGRAM = fileURLToPath(new URL('./bare-hop-process.ts', import.meta.url));

export interface BareChain {
  readonly url: string;
  close(): Promise<void>;
}

/** Two bare hops to the API server, for platform and agent, with a Unix socket between them and the same impersonation. */
export async function openBareChain({ cluster: { server, ca, adminToken } }: BenchCluster): Promise<BareChain> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-bare-'));
  const socket = join(folder, 'hop.sock');
  const headers = {
    authorization: `Bearer ${adminToken}`,
    'impersonate-user': userNamed('admin:bench'),
    'impersonate-group': roleGroup('admin'),
  };
  const children: ChildProcess[] = [];
  const start = async (hop: BareHop): Promise<unknown> => {
    const child = spawn(process.execPath, [...productFlags(), PROGRAM, JSON.stringify(hop)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    const [place] = (await once(child, 'message')) as [unknown];
    return place;
  };
  await start({ socket, next: { server, ca, headers } });
  const port = await start({ next: { socketPath: socket } });
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: async () => {
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
