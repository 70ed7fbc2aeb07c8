import { runQuick } from './quick.ts';

/** In the package `start-quick-compiled.ts` stands in for this. */
export async function startQuick(_use: string, _folder: string | undefined): Promise<never> {
  return await runQuick();
}
