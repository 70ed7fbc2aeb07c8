import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildPackage } from '../../scripts/build-package.ts';
import { ROOT } from '../../scripts/repository.ts';

/**
 * The package that is published, with what npm would put beside it; returns its folder. Memory is measured on it: from the
 * sources every process also keeps what strips types.
 */
export async function installPackage(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(join(folder, '.bin'));
  await symlink(process.execPath, join(folder, '.bin', 'node'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const installed = join(folder, 'fleetshift');
  await buildPackage(installed, signal);
  return installed;
}
