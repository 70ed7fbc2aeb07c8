import { boolean, type Settings } from '#kit/config';
import { FileKeyRing, finishRotation, type Rotation, rotateKeys as rotate } from '#kit/sealing';
import { systemClock } from '#kit/std';
import { SEALED_COLUMNS } from '../../../platform/schema.ts';
import { EXIT, type ExitCode, type Io } from '../../command.ts';
import { filesOf, LOCAL_SETTINGS, readLocalCommand } from '../backup/local-settings.ts';
import { openLocalDatabase } from '../backup/open-local-database.ts';

export const ROTATE_SETTINGS = {
  finish: {
    kind: boolean(),
    default: 'false',
    sentence: 'Make no new key: only bring everything under the one at hand, and drop what nothing is under.',
    group: 'rotate',
    from: ['flag'],
  },
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

/** Also while the platform runs: it looks at the key file before it seals. */
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
    `the active key is ${activeId}; ${rewrapped} values were brought under it`,
    ...(unreadable === 0 ? [] : [`${unreadable} values cannot be opened by any key, and stay as they are`]),
    ...dropped.map((id) => `dropped ${id}, which nothing was under`),
    ...kept.map(({ id, because }) => `kept ${id}: ${because}`),
    ...(kept.length === 0 ? [] : ['fleetshift keys rotate --finish drops what is no longer needed']),
    'a backup from before still has the old keys; take a new one',
    '',
  ].join('\n');
}
