import { join } from 'node:path';
import { cacheFolder, findGoProgram } from '../go-program.ts';

export const SERVER_VERSION = 'v1.32.1';

export interface FindServerOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

const SOURCE = `go.temporal.io/server/cmd/server@${SERVER_VERSION}`;

/**
 * The Temporal server's program, built when it is missing. `undefined` where there is neither the program nor Go to build
 * it with.
 */
export async function findServerProgram({ log, env = process.env }: FindServerOptions): Promise<string | undefined> {
  return await findGoProgram(
    {
      title: `the Temporal server ${SERVER_VERSION}`,
      file: join(cacheFolder(env, 'temporal', SERVER_VERSION), 'server'),
      takes: 'about five minutes',
      build: (folder) => ({ args: ['install', SOURCE], env: { GOBIN: folder } }),
    },
    { log, env },
  );
}
