import { prepareProgram } from '../test-programs.ts';

export interface FindServerOptions {
  /** Receives progress, line by line: a build takes minutes. */
  readonly log: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** The path of the Temporal server, built when it is missing. `undefined` where neither the program nor Go is available. */
export async function findServerProgram({ log, env = process.env }: FindServerOptions): Promise<string | undefined> {
  return await prepareProgram('temporal-server', { log, env });
}
