import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Gate } from '../../scripts/gates.ts';
import { ROOT } from '../../scripts/repository.ts';
import { type Outcome, runCommand } from '../../scripts/run-command.ts';
import { PATIENCE_MS } from '../patience.ts';

/** Every configuration file of a gate, as in this repository. */
const CONFIGURATION = [
  '.dependency-cruiser.cjs',
  '.gitignore',
  '.oxlintrc.jsonc',
  'biome.json',
  'knip.jsonc',
  'package.json',
  'tsconfig.json',
];

export interface PlantedHouse {
  /** Runs the exact command of `npm run check`, with extra arguments if needed. */
  run(gate: Gate, ...more: readonly string[]): Promise<Outcome>;
}

/** Creates a repository with our configuration, our installed tools, and only these files: `{ path: content }`. */
export async function plantHouse(test: TestContext, files: Readonly<Record<string, string>>): Promise<PlantedHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-gates-'));
  test.after(() => rm(folder, { recursive: true }));
  await Promise.all(CONFIGURATION.map((name) => copyFile(join(ROOT, name), join(folder, name))));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return {
    run: (gate, ...more) => runCommand([...gate.command, ...more], { cwd: folder }, AbortSignal.timeout(PATIENCE_MS)),
  };
}
