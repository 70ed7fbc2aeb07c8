import { boolean, type Settings } from '#kit/config';
import { FileKeyRing, finishRotation, type Rotation, rotateKeys as rotate } from '#kit/sealing';
import { systemClock } from '#kit/std';
import { SEALED_COLUMNS } from '#runtime/instance/schema';
import { EXIT, type ExitCode, type Io } from '../../../command.ts';
import { filesOf, LOCAL_SETTINGS, readLocalCommand } from '../backup/local-settings.ts';
import { openLocalDatabase } from '../backup/open-local-database.ts';

export const ROTATE_SETTINGS = {
  finish: {
    kind: boolean(),
    default: 'false',
    sentence:
      'Create no new key: only re-encrypt everything with the current one, and drop keys that are no longer in use.',
    group: 'rotate',
    from: ['flag'],
  },
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

/** Works while the platform is running: it checks the key file before it encrypts. */
export async function rotateKeys(args: readonly string[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { values } = readLocalCommand({ settings: ROTATE_SETTINGS, expects: [] }, args, io);
  const ring = FileKeyRing.open(filesOf(values).keyFile);
  const storage = await openLocalDatabase(values, signal);
  try {
    const deps = { storage, ring, columns: SEALED_COLUMNS, clock: systemClock };
    const rotation = await (values.finish ? finishRotation(deps, signal) : rotate(deps, signal));
    io.err(describe(rotation));
    return rotation.unreadable === 0 ? EXIT.ok : EXIT.failure;
  } finally {
    await storage.close();
  }
}

function describe({ activeId, rewrapped, unreadable, dropped, kept }: Rotation): string {
  return [
    `active key: ${activeId}; ${rewrapped} values re-encrypted with it`,
    ...(unreadable === 0 ? [] : [`${unreadable} values cannot be opened with any key, and stay as they are`]),
    ...dropped.map((id) => `dropped ${id}, which is no longer in use`),
    ...kept.map(({ id, because }) => `kept ${id}: ${because}`),
    ...(kept.length === 0 ? [] : ['fleetshift keys rotate --finish drops keys that are no longer needed']),
    'earlier backups contain the old keys; take a new backup',
    '',
  ].join('\n');
}
