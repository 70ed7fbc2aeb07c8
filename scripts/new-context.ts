import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contextFiles } from './context-template.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

/** npm run new-context NAME: creates the folders and files of a context in contexts/NAME, in the required structure. */
const [name = ''] = process.argv.slice(2);
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  console.error('usage: npm run new-context NAME, where NAME is in kebab-case, as in management-fleet');
  process.exitCode = 2;
} else {
  await make(join('contexts', name));
}

async function make(folder: string): Promise<void> {
  await mkdir(join(ROOT, 'contexts'), { recursive: true });
  // Fails for an existing context.
  await mkdir(join(ROOT, folder));
  for (const [path, content] of Object.entries(contextFiles(name))) {
    await mkdir(dirname(join(ROOT, folder, path)), { recursive: true });
    await writeFile(join(ROOT, folder, path), content);
    console.log(join(folder, path));
  }
  await runCommand(['biome', 'check', '--write', folder], { cwd: ROOT }, AbortSignal.timeout(30_000));
}
