import { helpText, type Settings } from '#kit/config';
import { systemClock } from '#kit/std';
import { type RestoreOptions, restoreDump } from '#kit/storage/transfer';
import { openDataFolder } from '#runtime/instance/data-folder';
import { restoreMark } from '#runtime/instance/incarnation';
import { SCHEMA_MODULES } from '#runtime/instance/schema';
import { type Command, EXIT, type ExitCode, type Io } from '../../command.ts';
import { ACCEPT_SETTINGS, acceptRestore } from './accept-restore.ts';
import { checkPlaces, writeBackupFiles } from './backup/backup-files.ts';
import { filesOf, LOCAL_SETTINGS, type LocalValues, readLocalCommand } from './backup/local-settings.ts';
import { PASSPHRASE_SETTING, readPassphrase } from './backup/passphrase.ts';
import { progressBar } from './backup/progress.ts';
import { type ReadBackup, readBackup } from './backup/read-backup.ts';

const SETTINGS = { ...PASSPHRASE_SETTING, ...LOCAL_SETTINGS } as const satisfies Settings;

const SUMMARY = `Creates a platform from a backup, in an empty data folder and an empty database, which may be of the other engine.
A backup that is damaged, truncated or from a newer release is refused, and nothing of it is kept.

  accept  at a restored platform that runs: takes the fleet over. Until then it serves reads, changes nothing, takes no
          fleetlets and reaches no clusters. Stop the platform that the backup is from before.`;

export const restore: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift restore FILE --passphrase-file FILE [flags]\n       fleetshift restore accept [flags]',
      summary: SUMMARY,
      settings: { ...SETTINGS, ...ACCEPT_SETTINGS },
    }),
  async run(args, io, signal) {
    const [word, ...rest] = args;
    if (word === 'accept') return await acceptRestore(rest, io, signal);
    const { values, positionals } = readLocalCommand({ settings: SETTINGS, expects: ['FILE'] }, args, io);
    const backup = await readBackup(positionals[0] ?? '', readPassphrase(values.passphraseFile));
    try {
      // The lock prevents a platform from starting in the folder meanwhile.
      const folder = openDataFolder(values.data, systemClock);
      try {
        return await restoreFrom(backup, { values, io }, signal);
      } finally {
        folder.release();
      }
    } finally {
      backup.close();
    }
  },
};

interface Wanted {
  readonly values: LocalValues;
  readonly io: Io;
}

async function restoreFrom(backup: ReadBackup, { values, io }: Wanted, signal: AbortSignal): Promise<ExitCode> {
  const { about, files, records } = backup;
  const places = filesOf(values);
  checkPlaces(files, places);
  const progress = progressBar(io, 'restore', about.rows);
  let undo = (): void => {};
  const beforePublish = async (): Promise<void> => {
    undo = writeBackupFiles(files, places);
  };
  const added = [restoreMark(systemClock.now())];
  const load = { schema: about.schema, records, added, beforePublish };
  const options = { target: targetOf(values), modules: SCHEMA_MODULES, ...load };
  try {
    const { tables, rows } = await restoreDump({ ...options, onRow: () => progress.step() }, signal);
    progress.end();
    io.err(`restored ${rows} rows of ${tables} tables and the keys, as of ${about.createTime}\n`);
    io.err('once started, it reads and changes nothing until: fleetshift restore accept\n');
    return EXIT.ok;
  } catch (error) {
    progress.end();
    undo();
    throw error;
  }
}

function targetOf(values: LocalValues): RestoreOptions['target'] {
  const { database } = values;
  return database.engine === 'sqlite'
    ? { engine: 'sqlite', file: filesOf(values).databaseFile }
    : { engine: 'postgres', url: database.url.reveal() };
}
