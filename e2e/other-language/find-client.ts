import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, findGoProgram } from '#testing/go-program';

/** The client in Go, built when it is missing or has changed; `undefined` where there is no Go to build it with. */
export async function findClient(log: (line: string) => void): Promise<string | undefined> {
  const cwd = join(import.meta.dirname, 'client');
  const sources = readdirSync(cwd)
    .toSorted()
    .map((name) => [name, readFileSync(join(cwd, name), 'utf8')]);
  const fingerprint = hash('sha256', JSON.stringify(sources), 'hex').slice(0, 8);
  return await findGoProgram(
    {
      title: 'the client in another language',
      file: join(cacheFolder(process.env, 'e2e', `other-language-${fingerprint}`), 'client'),
      takes: 'about a minute',
      build: (folder) => ({
        cwd,
        args: ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(folder, 'client'), '.'],
      }),
    },
    { log, env: process.env },
  );
}
