import { type Definition, findCapiDefinitions } from './capi/definitions.ts';
import { installDefinitions } from './capi/install-definitions.ts';
import { CAPI_VERSION, findCapiManager } from './capi/manager-program.ts';
import type { TestCluster } from './clusters/test-cluster.ts';
import { logToStderr } from './log-to-stderr.ts';

export { type CapiManager, startCapiManager } from './capi/start-manager.ts';

let hasTold = false;

/**
 * Cluster API's own manager, or undefined after one loud line. The first time ever it is built, which takes minutes.
 */
export async function capiManager(log: (line: string) => void = logToStderr): Promise<string | undefined> {
  const program = await findCapiManager({ log });
  if (program === undefined) tell('nothing is compared with it', log);
  return program;
}

/** Why there are no definitions of Cluster API here, or undefined; one loud line says so, too. */
export async function capiUnavailable(log: (line: string) => void = logToStderr): Promise<string | undefined> {
  if ((await findCapiDefinitions({ log })) !== undefined) return undefined;
  tell('nothing is tested on its kinds', log);
  return `there is no Go to fetch Cluster API ${CAPI_VERSION} with`;
}

export interface InstallOptions {
  /** Of which groups: all that its manager wants to see, unless told. */
  readonly only?: (definition: Definition) => boolean;
}

/** Cluster API's kinds on a cluster that has none of them yet; served when this is done. */
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
