import { type Catalogue, FleetError } from '#kit/std';

export const DIRECTORY_ERRORS = {
  OUTSIDE_FOLDER: { category: 'forbidden', retry: 'after-change' },
  FOLDER_UNUSABLE: { category: 'unavailable', retry: 'after-change' },
  STATE_UNREADABLE: { category: 'internal', retry: 'after-change' },
} as const satisfies Catalogue;

export type DirectoryErrorCode = keyof typeof DIRECTORY_ERRORS;

export class DirectoryError extends FleetError<DirectoryErrorCode> {
  get entry() {
    return DIRECTORY_ERRORS[this.code];
  }
}
