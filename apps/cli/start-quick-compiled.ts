import { join } from 'node:path';
import { runCompiled } from './run-compiled.ts';

/** The file of the quick commands beside this one; its name has the hash of its content. Set by the build. */
declare const QUICK_PROGRAM: string;

/** Runs a quick command with all code that its earlier runs needed already compiled. */
export async function startQuick(use: string, folder: string | undefined): Promise<never> {
  const quick = runCompiled(join(import.meta.dirname, QUICK_PROGRAM), { folder, use }) as typeof import('./quick.ts');
  return await quick.runQuick();
}
