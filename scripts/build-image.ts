import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { productionPackages } from './build-image-packages.ts';
import { buildPackage } from './build-package.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

const HOME = 'opt/fleetshift';
/** Of the libraries that Node is linked with, those that small images do not have; the C library is in all of them. */
const CARRIED = /^lib(?:atomic|gcc_s|stdc\+\+)\.so/;

/**
 * Everything that an image has beyond its base, into an empty folder, as it lies below `/`: the bundle, the packages that
 * it needs beside it, the pinned Node with its libraries, and authorities for whatever else is ever put there. All of it
 * is from this checkout: nothing is downloaded.
 */
export async function buildImage(folder: string, signal: AbortSignal): Promise<void> {
  if (process.platform !== 'linux') throw new Error('build an image: it is of Linux, and so is where it is built');
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`build an image in ${folder}: it is not empty`);
  const lib = join(folder, HOME, 'lib');
  await mkdir(join(folder, HOME, 'bin'), { recursive: true });
  await copyFile(join(ROOT, 'deploy/image/fleetshift'), join(folder, HOME, 'bin/fleetshift'));
  await buildPackage(join(lib, 'app'), signal);
  // The launcher above is the one of an image.
  await rm(join(lib, 'app/bin'), { recursive: true });
  await copyPackages(join(lib, 'app'));
  await copyNode(lib, signal);
  await writeAuthorities(folder);
  // Where the process may write, if it is told nothing else; the recipe gives it to the user of the image.
  await mkdir(join(folder, 'data'));
}

async function copyPackages(app: string): Promise<void> {
  const [lock, manifest] = await Promise.all([jsonOf(ROOT, 'package-lock.json'), jsonOf(app, 'package.json')]);
  const wanted = productionPackages(lock, Object.keys(manifest['dependencies'] as object));
  for (const path of wanted.filter((each) => existsSync(join(ROOT, each)))) {
    await cp(join(ROOT, path), join(app, path), {
      recursive: true,
      filter: (source) => isOf(join(ROOT, path), source),
    });
  }
}

/** What a package has within itself by chance of the installation is another package, and is wanted or not by itself. */
function isOf(path: string, source: string): boolean {
  return !source.slice(path.length).includes('/node_modules');
}

async function copyNode(lib: string, signal: AbortSignal): Promise<void> {
  const node = await realpath(process.execPath);
  await copyFile(node, join(lib, 'node'));
  await copyFile(join(dirname(node), '../LICENSE'), join(lib, 'node.LICENSE'));
  await mkdir(join(lib, 'shared'));
  const { code, output } = await runCommand(['ldd', node], { cwd: ROOT }, signal);
  if (code !== 0) throw new Error(`find the libraries of ${node}: ldd said\n${output}`);
  const found = [...output.matchAll(/=> (\/\S+)/g)].map(([, file = '']) => file);
  for (const file of found.filter((each) => CARRIED.test(basename(each)))) {
    const copy = join(lib, 'shared', basename(file));
    await copyFile(await realpath(file), copy);
    await chmod(copy, 0o644);
  }
}

/** Those that Node itself trusts, for programs that look where Linux keeps them. */
async function writeAuthorities(folder: string): Promise<void> {
  await mkdir(join(folder, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(folder, 'etc/ssl/certs/ca-certificates.crt'), `${rootCertificates.join('\n')}\n`);
}

async function jsonOf(folder: string, name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new TypeError('say the folder: node scripts/build-image.ts FOLDER');
  await buildImage(resolve(folder), AbortSignal.timeout(300_000));
}
