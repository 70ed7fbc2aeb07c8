import { cacheFolder } from '../go-program.ts';
import { prepareProgram, versionOf } from '../test-programs.ts';

export const CAPI_VERSION = versionOf('cluster-api');
export const CAPI_MODULE = `sigs.k8s.io/cluster-api@${CAPI_VERSION}`;

export interface FindCapiOptions {
  /** Receives progress, line by line: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** Where the definitions of Cluster API are kept between runs. */
export function capiFolder(env: NodeJS.ProcessEnv): string {
  return cacheFolder(env, 'cluster-api', CAPI_VERSION);
}

/**
 * The path of Cluster API's own manager, unmodified, built when it is missing. `undefined` where neither the program nor
 * Go is available.
 */
export async function findCapiManager({ log, env = process.env }: FindCapiOptions): Promise<string | undefined> {
  return await prepareProgram('cluster-api', { log, env });
}
