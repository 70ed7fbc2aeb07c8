import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS_REFERENCE_FILE, settingsReference } from '../apps/platform/settings-reference.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';

export interface Generated {
  readonly name: string;
  /** Whole files by their path below the root. The same sources give the same bytes, on every machine. */
  readonly generate: () => Promise<ReadonlyMap<string, string>>;
}

/** Files that are kept in the repository but written by it. `npm run generate` writes them; a test compares. */
export const GENERATED: readonly Generated[] = [
  {
    name: 'settings reference',
    generate: async () => new Map([[SETTINGS_REFERENCE_FILE, settingsReference()]]),
  },
  { name: 'protocol', generate: generateProtocol },
];

const PROTO = 'protocol/proto';

/** What buf makes of the proto files, by buf.gen.yaml. */
async function generateProtocol(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-proto-'));
  try {
    const place = { cwd: join(ROOT, PROTO) };
    const { code, output } = await runCommand(['buf', 'generate', '-o', folder], place, AbortSignal.timeout(60_000));
    if (code !== 0) throw new Error(`generate from the proto files: buf said\n${output}`);
    const paths = (await Array.fromAsync(glob('**/*.ts', { cwd: folder }))).toSorted();
    const files = paths.map(async (path) => [`${PROTO}/${path}`, await readFile(join(folder, path), 'utf8')] as const);
    return new Map(await Promise.all(files));
  } finally {
    await rm(folder, { recursive: true });
  }
}
