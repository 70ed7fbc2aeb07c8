import { GET, VERSION } from './quick-commands.ts';
import { runProcess } from './run-process.ts';

/** Runs a quick command as this process, then exits. */
export async function runQuick(): Promise<never> {
  return await runProcess([GET, VERSION]);
}
