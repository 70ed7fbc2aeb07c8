import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { ApiObject } from '../clusters/api-client.ts';
import { hasGo } from '../go-program.ts';
import { onlyOne } from '../only-one.ts';
import { CAPI_MODULE, capiFolder, type FindCapiOptions } from './manager-program.ts';

/** A CustomResourceDefinition as shipped with the module. */
export interface Definition extends ApiObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

/** v1.14 and later keep them elsewhere. */
const IN_MODULE = join('config', 'crd', 'bases');
const DOWNLOAD_MS = 120_000;

/**
 * Every CustomResourceDefinition of Cluster API, from the user's cache; fetched into it when missing, which takes seconds
 * (building the manager takes minutes). `undefined` where neither the definitions nor Go are available.
 */
export async function findCapiDefinitions({
  log,
  env = process.env,
}: FindCapiOptions): Promise<readonly Definition[] | undefined> {
  const parent = capiFolder(env);
  const folder = join(parent, 'definitions');
  if (!existsSync(folder)) {
    if (!hasGo(env)) return undefined;
    await mkdir(parent, { recursive: true });
    const lock = join(parent, 'fetcher');
    const waiting = (): void => log("waiting for another process that fetches Cluster API's definitions");
    await onlyOne({ lock, isDone: () => existsSync(folder), waiting }, () => fetchInto(folder, env));
  }
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();
  return await Promise.all(files.map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as Definition));
}

/** Copied elsewhere and moved into place in one step, so that the folder is never seen incomplete. */
async function fetchInto(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', CAPI_MODULE], {
    env,
    timeout: DOWNLOAD_MS,
  });
  const { Dir: module } = JSON.parse(stdout) as { readonly Dir: string };
  const apart = await mkdtemp(`${folder}-`);
  try {
    await cp(join(module, IN_MODULE), join(apart, 'definitions'), { recursive: true });
    await rename(join(apart, 'definitions'), folder);
  } finally {
    await rm(apart, { recursive: true, force: true });
  }
}
