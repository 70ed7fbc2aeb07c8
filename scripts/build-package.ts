import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

/**
 * What is started, under the name that it has in the package. They lie side by side there: a worker is looked for beside
 * the file that starts it.
 */
export const ENTRIES = {
  fleetshift: 'apps/cli/main.ts',
  'writer-worker': 'kit/storage/sqlite/writer-worker.ts',
};

/** What of package.json the published package has too. */
const PUBLISHED = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'bin',
  'dependencies',
  'optionalDependencies',
] as const;

/**
 * DECISION: these go into the bundle, while other dependencies stay outside. A fleetlet or the platform
 * needs all of each, at its start or to enrol, and a module that is a file of its own costs more memory than what is in it:
 * as hundreds of files they made an idle fleetlet larger by a fifth, and TypeBox alone, in seven hundred, a platform by 5 MiB.
 */
export const BUNDLED = [
  '@bufbuild/protobuf',
  '@peculiar/asn1-csr',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  'jose',
  'typebox',
];

const COPIED = ['README.md', 'LICENSE', 'bin/fleetshift'];

/** Makes the folder that is published. npm installs what it depends on beside it. */
export async function buildPackage(folder: string, signal: AbortSignal): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'bin'), { recursive: true });
  const manifest = await publishedManifest();
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir: folder,
    bundle: true,
    // Commands are loaded when they are asked for, in the package as in the sources.
    splitting: true,
    external: Object.keys(manifest.dependencies).flatMap((name) => [name, `${name}/*`]),
    platform: 'node',
    target: 'node26',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of COPIED) await copyFile(join(ROOT, file), join(folder, file));
  await chmod(join(folder, 'bin/fleetshift'), 0o755);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(folder, 'NOTICES'), await noticesOf(metafile));
  await tryIt(folder, signal);
}

type Manifest = Record<string, unknown> & { readonly dependencies: Readonly<Record<string, string>> };

async function publishedManifest(): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const kept = Object.entries(manifest.dependencies).filter(([name]) => !BUNDLED.includes(name));
  const published = Object.fromEntries(PUBLISHED.map((key) => [key, manifest[key]]));
  return { ...published, dependencies: Object.fromEntries(kept) };
}

/** The licences of others ask for it: what each package says of itself, in a file or at the head of its sources. */
async function noticesOf({ inputs }: Metafile): Promise<string> {
  const theirs = Object.keys(inputs).filter((path) => path.includes('node_modules/'));
  const byPackage = Map.groupBy(theirs, (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
  const notices = await Promise.all(
    [...byPackage].map(async ([folder, files]) => {
      const texts = [...(await licencesIn(folder)), ...(await headsOf(files))];
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      if (texts.length === 0) throw new Error(`bundle ${name}: it does not say whose it is`);
      return [`${name}:\n`, ...texts].join('\n');
    }),
  );
  return ['This package contains the work of others.\n', ...notices].join('\n');
}

async function licencesIn(folder: string): Promise<string[]> {
  const files = (await readdir(join(ROOT, folder))).filter((name) => /^(licen[cs]e|notice)\b/i.test(name));
  return await Promise.all(files.map((name) => readFile(join(ROOT, folder, name), 'utf8')));
}

async function headsOf(files: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(files.map((path) => readFile(join(ROOT, path), 'utf8')));
  const heads = texts.map((text) => /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? '').filter((head) => /copyright/i.test(head));
  return new Set(heads.map((head) => head.replaceAll(/^\/\/ ?/gm, '')));
}

async function tryIt(folder: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runCommand([join(folder, 'bin/fleetshift'), 'version'], { cwd: '/' }, signal);
  if (code !== 0) throw new Error(`start what was built in ${folder}: exit code ${code}\n${output}`);
}
