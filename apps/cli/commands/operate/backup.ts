import { helpText, path, type Settings } from '#kit/config';
import { systemClock } from '#kit/std';
import packageJson from '../../../../package.json' with { type: 'json' };
import { type Command, EXIT, UsageError } from '../../command.ts';
import { readBackupFiles } from './backup/backup-files.ts';
import { filesOf, LOCAL_SETTINGS, readLocalCommand } from './backup/local-settings.ts';
import { makeBackup } from './backup/make-backup.ts';
import { openLocalDatabase } from './backup/open-local-database.ts';
import { PASSPHRASE_SETTING, readPassphrase } from './backup/passphrase.ts';
import { type Progress, progressBar } from './backup/progress.ts';

const SETTINGS = {
  out: { kind: path(), sentence: 'The file to write; it must not exist yet.', group: 'Backup', from: ['flag'] },
  ...PASSPHRASE_SETTING,
  ...LOCAL_SETTINGS,
} as const satisfies Settings;

const SUMMARY = `Takes a backup of a platform, running or not: a snapshot of its database and its keys, in one encrypted file.
Without the passphrase it cannot be restored.`;

export const backup: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift backup --out FILE --passphrase-file FILE [flags]',
      summary: SUMMARY,
      settings: SETTINGS,
    }),
  async run(args, io, signal) {
    const { values } = readLocalCommand({ settings: SETTINGS, expects: [] }, args, io);
    const { out } = values;
    if (out === undefined) throw new UsageError('--out is missing');
    const passphrase = readPassphrase(values.passphraseFile);
    const storage = await openLocalDatabase(values, signal);
    let progress: Progress | undefined;
    try {
      const readFiles = () => readBackupFiles(filesOf(values));
      const options = { storage, readFiles, out, passphrase, version: packageJson.version, now: systemClock.now() };
      const { rows } = await makeBackup(
        {
          ...options,
          onBegin: (about) => {
            progress = progressBar(io, 'backup', about.rows);
          },
          onRow: () => progress?.step(),
        },
        signal,
      );
      progress?.end();
      io.err(`wrote ${out}: ${rows} rows and the keys\n`);
      return EXIT.ok;
    } finally {
      await storage.close();
    }
  },
};
