import { prepareProgram } from '../test-programs.ts';

export interface FindServerOptions {
  /** Told what is being done, a line at a time: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The Temporal server's program, built when it is missing. `undefined` where there is neither the program nor Go to build
 * it with.
 */
export async function findServerProgram({ log, env = process.env }: FindServerOptions): Promise<string | undefined> {
  return await prepareProgram('temporal-server', { log, env });
}
