import { readFileSync } from 'node:fs';
import { path, type Settings } from '#kit/config';
import { Secret } from '#kit/std';
import { UsageError } from '../../../command.ts';
import { BackupError } from './backup-error.ts';

export const PASSPHRASE_SETTING = {
  'passphrase-file': {
    kind: path(),
    sentence: 'File with the passphrase of the backup, on its first line.',
    group: 'Backup',
    from: ['flag', 'environment'],
  },
} as const satisfies Settings;

const SHORTEST = 12;

/** There is no flag for the passphrase itself: other users of a machine can see the flags of a process. */
export function readPassphrase(file: string | undefined): Secret<string> {
  if (file === undefined) throw new UsageError('--passphrase-file is missing');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BackupError('PASSPHRASE_UNUSABLE', `cannot read the passphrase in ${file}: ${why}`, { cause });
  }
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line.length >= SHORTEST) return new Secret(line);
  throw new BackupError(
    'PASSPHRASE_UNUSABLE',
    `the passphrase in ${file} has ${line.length} characters; it needs at least ${SHORTEST}`,
  );
}
