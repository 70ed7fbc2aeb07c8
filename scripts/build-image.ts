import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { productionPackages } from './build-image-packages.ts';
import { buildPackage } from './build-package.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

const HOME = 'opt/fleetshift';
/** Libraries that Node is linked with and that small images lack; all of them have the C library. */
const CARRIED = /^lib(?:atomic|gcc_s|stdc\+\+)\.so/;

/**
 * Writes everything that the image adds to its base into an empty folder, laid out as below `/`: the bundle, the packages
 * it needs, the pinned Node with its libraries, and CA certificates for any other program added later. Everything comes
 * from this checkout: nothing is downloaded.
 */
export async function buildImage(folder: string, signal: AbortSignal): Promise<void> {
  if (process.platform !== 'linux') throw new Error('build an image: requires Linux');
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`build an image in ${folder}: the folder is not empty`);
  const lib = join(folder, HOME, 'lib');
  await mkdir(join(folder, HOME, 'bin'), { recursive: true });
  await copyFile(join(ROOT, 'deploy/image/fleetshift'), join(folder, HOME, 'bin/fleetshift'));
  await copyFile(join(ROOT, 'bin/node-flags'), join(folder, HOME, 'bin/node-flags'));
  await buildPackage(join(lib, 'app'), signal);
  // Replaced by the image's own launcher above.
  await rm(join(lib, 'app/bin'), { recursive: true });
  await copyPackages(join(lib, 'app'));
  await copyNode(lib, signal);
  await writeAuthorities(folder);
  // The default folder for the process to write to; the recipe gives it to the user of the image.
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

/** A package nested in another's node_modules is a separate package, and is copied only if it is needed itself. */
function isOf(path: string, source: string): boolean {
  return !source.slice(path.length).includes('/node_modules');
}

async function copyNode(lib: string, signal: AbortSignal): Promise<void> {
  const node = await realpath(process.execPath);
  await copyFile(node, join(lib, 'node'));
  await copyFile(join(dirname(node), '../LICENSE'), join(lib, 'node.LICENSE'));
  await mkdir(join(lib, 'shared'));
  const { code, output } = await runCommand(['ldd', node], { cwd: ROOT }, signal);
  if (code !== 0) throw new Error(`find the libraries of ${node}: ldd failed\n${output}`);
  const found = [...output.matchAll(/=> (\/\S+)/g)].map(([, file = '']) => file);
  for (const file of found.filter((each) => CARRIED.test(basename(each)))) {
    const copy = join(lib, 'shared', basename(file));
    await copyFile(await realpath(file), copy);
    await chmod(copy, 0o644);
  }
}

/** The CA certificates that Node trusts, for programs that look where Linux keeps them. */
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
