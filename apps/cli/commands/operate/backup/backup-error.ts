import { type Catalogue, FleetError } from '#kit/std';

/** An error about the data of a platform on this machine. Each message tells the user what to do. */
export const BACKUP_ERRORS = {
  NO_DATABASE: { category: 'not-found', retry: 'after-change' },
  PASSPHRASE_UNUSABLE: { category: 'invalid', retry: 'after-change' },
  FILE_EXISTS: { category: 'conflict', retry: 'after-change' },
  BACKUP_UNREADABLE: { category: 'invalid', retry: 'never' },
  SNAPSHOT_LOST: { category: 'unavailable', retry: 'later' },
} as const satisfies Catalogue;

export class BackupError extends FleetError<keyof typeof BACKUP_ERRORS> {
  get entry() {
    return BACKUP_ERRORS[this.code];
  }
}
