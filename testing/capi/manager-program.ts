import { join } from 'node:path';
import { cacheFolder, findGoProgram } from '../go-program.ts';

export const CAPI_VERSION = 'v1.13.6';
export const CAPI_MODULE = `sigs.k8s.io/cluster-api@${CAPI_VERSION}`;

export interface FindCapiOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** Where what comes from Cluster API is kept between runs. */
export function capiFolder(env: NodeJS.ProcessEnv): string {
  return cacheFolder(env, 'cluster-api', CAPI_VERSION);
}

/**
 * Cluster API's own manager, unchanged, built when it is missing. `undefined` where there is neither the program nor Go to
 * build it with.
 */
export async function findCapiManager({ log, env = process.env }: FindCapiOptions): Promise<string | undefined> {
  return await findGoProgram(
    {
      title: `Cluster API's manager ${CAPI_VERSION}`,
      file: join(capiFolder(env), 'cluster-api'),
      takes: 'about three minutes',
      build: (folder) => ({ args: ['install', '-ldflags', '-s -w', CAPI_MODULE], env: { GOBIN: folder } }),
    },
    { log, env },
  );
}
