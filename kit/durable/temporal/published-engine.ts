import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CreateTemporalEngine } from './engine-options.ts';

/** The package of the published engine, with a lockfile of its own. It belongs to one version of the main package. */
const ENGINE_PACKAGE = 'fleetshift-temporal';

/** The exports of that package. */
export interface PublishedEngine {
  readonly version: string;
  /** The names of the workflows in the bundle. */
  readonly workflows: readonly string[];
  readonly workflowBundle: URL;
  /** Loads the SDK. The engine throws errors of these classes. */
  load(errors: object): Promise<{ readonly createTemporalEngine: CreateTemporalEngine }>;
}

/** Finds the engine of the version of the main package in this folder, or the command that installs it. */
export async function findPublishedEngine(
  folder: string,
): Promise<{ readonly engine: PublishedEngine } | { readonly install: string }> {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  const engine = await importEngine();
  return engine?.version === version ? { engine } : { install: installCommand(folder, version) };
}

async function importEngine(): Promise<PublishedEngine | undefined> {
  let found: string;
  try {
    found = import.meta.resolve(ENGINE_PACKAGE);
  } catch {
    return undefined;
  }
  return (await import(found)) as PublishedEngine;
}

/** Beside the main package, as npm installed that: into a project, or for the machine. */
function installCommand(folder: string, version: string): string {
  const wanted = `${ENGINE_PACKAGE}@${version}`;
  const beside = dirname(folder);
  if (basename(beside) !== 'node_modules') return `npm install --prefix ${folder} ${wanted}`;
  const project = dirname(beside);
  return existsSync(join(project, 'package.json'))
    ? `npm install --prefix ${project} ${wanted}`
    : `npm install --global ${wanted}`;
}
