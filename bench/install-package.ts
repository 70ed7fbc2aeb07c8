import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage } from '../scripts/build-package.ts';
import { ROOT } from '../scripts/repository.ts';

/**
 * Installs the published package with its dependencies; returns its folder. Memory is measured on it, because a process
 * running from the sources also holds the type stripper. `more` are further programs of the folder.
 */
export async function installPackage(
  folder: string,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  await mkdir(join(folder, '.bin'));
  await symlink(process.execPath, join(folder, '.bin', 'node'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const installed = join(folder, 'fleetshift');
  await buildPackage(installed, signal, more);
  return installed;
}
