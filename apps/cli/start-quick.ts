/** Loads the quick commands from their sources. In the package `start-quick-compiled.ts` stands in for this. */
export async function startQuick(_use: string, _folder: string | undefined): Promise<never> {
  const { runQuick } = await import('./quick.ts');
  return await runQuick();
}
