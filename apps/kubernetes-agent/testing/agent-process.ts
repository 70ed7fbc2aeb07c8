import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TestCluster } from '#testing/clusters';
import { MAIN } from '#testing/product';
import { ServerProcess } from '#testing/server-process';
import { eventually } from '../../../kit/durable/testing/eventually.ts';

export interface AgentProcess {
  readonly process: ServerProcess;
  /** Waits until the log matches; returns the log so far. */
  says(pattern: RegExp): Promise<string>;
}

export interface AgentOptions {
  readonly folder: string;
  readonly flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

let count = 0;

/** The real agent as a separate process, stopped after the test. */
export function startAgent(t: TestContext, { folder, flags, environment = {} }: AgentOptions): AgentProcess {
  const log = join(folder, `agent-${(count += 1)}.log`);
  const agent = new ServerProcess({
    program: process.execPath,
    args: [MAIN, 'agent', 'kubernetes', '--log-format', 'json', ...flags],
    folder,
    log,
    env: { NODE_NO_WARNINGS: '1', ...environment },
  });
  t.after(() => agent.stop('SIGKILL'));
  return { process: agent, says: (pattern) => saysIn(agent, log, pattern) };
}

async function saysIn(agent: ServerProcess, log: string, pattern: RegExp): Promise<string> {
  return await eventually(`it to say ${pattern}`, async () => {
    const said = await readFile(log, 'utf8');
    if (pattern.test(said)) return said;
    throw new Error(`${agent.hasEnded ? 'it has ended, and ' : ''}it said:\n${said}`);
  });
}

/** The environment of a Pod, with administrator rights. */
export async function podEnvironment(cluster: TestCluster, folder: string): Promise<Record<string, string>> {
  const account = join(folder, 'serviceaccount');
  await mkdir(account);
  await Promise.all([
    writeFile(join(account, 'token'), cluster.adminToken),
    writeFile(join(account, 'ca.crt'), cluster.ca),
    writeFile(join(account, 'namespace'), 'default'),
  ]);
  const { hostname, port } = new URL(cluster.server);
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_FOLDER: account };
}
