import { type Definition, findCapiDefinitions } from './capi/definitions.ts';
import { installDefinitions } from './capi/install-definitions.ts';
import { CAPI_VERSION, findCapiManager } from './capi/manager-program.ts';
import type { TestCluster } from './clusters/test-cluster.ts';
import { logToStderr } from './log-to-stderr.ts';

export { type CapiManager, startCapiManager } from './capi/start-manager.ts';

let hasTold = false;

/** The path of Cluster API's own manager, or undefined after a prominent log line. Its first build takes minutes. */
export async function capiManager(log: (line: string) => void = logToStderr): Promise<string | undefined> {
  const program = await findCapiManager({ log });
  if (program === undefined) tell('nothing is compared with it', log);
  return program;
}

/** The reason why Cluster API's definitions are not available, or undefined. The reason is also logged. */
export async function capiUnavailable(log: (line: string) => void = logToStderr): Promise<string | undefined> {
  if ((await findCapiDefinitions({ log })) !== undefined) return undefined;
  tell('nothing is tested on its kinds', log);
  return `there is no Go to fetch Cluster API ${CAPI_VERSION} with`;
}

export interface InstallOptions {
  /** Selects definitions; by default all that the manager needs. */
  readonly only?: (definition: Definition) => boolean;
}

/** Installs Cluster API's kinds on a cluster without them; resolves when they are served. */
export async function installCapiDefinitions(
  cluster: TestCluster,
  { only = () => true }: InstallOptions,
  signal: AbortSignal,
): Promise<void> {
  const definitions = await findCapiDefinitions({ log: logToStderr });
  if (definitions === undefined) throw new Error(`install the kinds of Cluster API ${CAPI_VERSION}: there is no Go`);
  await installDefinitions(cluster, definitions.filter(only), signal);
}

function tell(what: string, log: (line: string) => void): void {
  if (hasTold) return;
  hasTold = true;
  log(`SKIPPED: ${what}, since there is no Go to build Cluster API ${CAPI_VERSION} with`);
}
