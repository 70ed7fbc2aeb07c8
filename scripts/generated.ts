import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Settings, settingsPage } from '#kit/config';
import { CRS_SETTINGS } from '../apps/crs/config.ts';
import { DIRECTORY_AGENT_SETTINGS } from '../apps/directory-agent/config.ts';
import { FLEETLET_WITH_SETTINGS } from '../apps/fleetlet-with-kubernetes/config.ts';
import { KUBERNETES_AGENT_SETTINGS } from '../apps/kubernetes-agent/config.ts';
import { PLATFORM_SETTINGS } from '../apps/platform/config.ts';
import { ROOT } from './repository.ts';
import { runCommand } from './run-command.ts';
import { publicSurface } from './surface/public-surface.ts';

export interface Generated {
  readonly name: string;
  /** Contents of whole files, by path below the root. The same sources give the same bytes on every machine. */
  readonly generate: () => Promise<ReadonlyMap<string, string>>;
}

/** Generated files that are kept in the repository. `npm run generate` writes them; a test compares them. */
export const GENERATED: readonly Generated[] = [
  settingsReference('settings', 'fleetshift serve', PLATFORM_SETTINGS),
  settingsReference('fleetlet-settings', 'fleetshift fleetlet', FLEETLET_WITH_SETTINGS),
  settingsReference('directory-agent-settings', 'fleetshift agent directory', DIRECTORY_AGENT_SETTINGS),
  settingsReference('kubernetes-agent-settings', 'fleetshift agent kubernetes', KUBERNETES_AGENT_SETTINGS),
  settingsReference('crs-settings', 'fleetshift crs', CRS_SETTINGS),
  { name: 'protocol', generate: generateProtocol },
  { name: 'public surface', generate: publicSurface },
];

function settingsReference(page: string, command: string, settings: Settings): Generated {
  return {
    name: `reference of ${command}`,
    generate: async () => new Map([[`docs/reference/${page}.md`, settingsPage({ command, settings })]]),
  };
}

const PROTO = 'protocol/proto';

/** The output of buf for the proto files, by buf.gen.yaml. */
async function generateProtocol(): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-proto-'));
  try {
    const place = { cwd: join(ROOT, PROTO) };
    const { code, output } = await runCommand(['buf', 'generate', '-o', folder], place, AbortSignal.timeout(60_000));
    if (code !== 0) throw new Error(`generate from the proto files: buf failed\n${output}`);
    const paths = (await Array.fromAsync(glob('**/*.ts', { cwd: folder }))).toSorted();
    const files = paths.map(async (path) => [`${PROTO}/${path}`, await readFile(join(folder, path), 'utf8')] as const);
    return new Map(await Promise.all(files));
  } finally {
    await rm(folder, { recursive: true });
  }
}
