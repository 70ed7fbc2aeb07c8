import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, findGoProgram, fingerprint } from '#testing/go-program';

/** The Go client, built if it is missing or has changed; `undefined` where Go is not installed. */
export async function findClient(log: (line: string) => void): Promise<string | undefined> {
  const cwd = join(import.meta.dirname, 'client');
  const sources = readdirSync(cwd)
    .toSorted()
    .map((name) => [name, readFileSync(join(cwd, name), 'utf8')]);
  return await findGoProgram(
    {
      title: 'the client in another language',
      file: join(cacheFolder(process.env, 'e2e', `other-language-${fingerprint(sources)}`), 'client'),
      takes: 'about a minute',
      source: { module: cwd, package: '.' },
    },
    { log, env: process.env },
  );
}
