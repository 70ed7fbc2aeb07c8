import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../go-program.ts';
import { logToStderr } from '../log-to-stderr.ts';
import { onlyOne } from '../only-one.ts';

/** The Temporal engine is a separate package, which `npm ci` in the root does not install. */
export const ENGINE_FOLDER = join(import.meta.dirname, '../../kit/durable/temporal');

/** Installs the engine's packages, unless they already match the lockfile. */
export async function installSdk(log: (line: string) => void = logToStderr): Promise<void> {
  const wanted = hashOf(readFileSync(join(ENGINE_FOLDER, 'package-lock.json')));
  // npm empties the folder first, so a marker in it shows that the last installation completed.
  const note = join(ENGINE_FOLDER, 'node_modules', '.installed');
  const isDone = (): boolean => existsSync(note) && readFileSync(note, 'utf8') === wanted;
  if (isDone()) return;
  // In the user's cache, not among temporary files: two test runs in one checkout have different temporary folders.
  const locks = cacheFolder(process.env, 'locks');
  mkdirSync(locks, { recursive: true });
  await onlyOne(
    {
      lock: join(locks, `temporal-sdk-${hashOf(ENGINE_FOLDER).slice(0, 16)}`),
      isDone,
      waiting: () => log('waiting for another process that is installing the Temporal SDK'),
    },
    async () => {
      log('installing the Temporal SDK into kit/durable/temporal, once');
      await npmCi();
      writeFileSync(note, wanted);
    },
  );
}

/** Without install scripts: no package of the SDK needs them. */
async function npmCi(): Promise<void> {
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-progress', '--loglevel=error'], {
    cwd: ENGINE_FOLDER,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`install the Temporal SDK with "npm ci" in ${ENGINE_FOLDER}: it said\n${said}`);
}

function hashOf(data: string | Buffer): string {
  return hash('sha256', data, 'hex');
}
