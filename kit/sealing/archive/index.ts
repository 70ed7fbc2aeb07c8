export { ARCHIVE_ERRORS, ArchiveError, type ArchiveErrorCode } from './archive-error.ts';
export type { ArchiveOptions } from './archive-header.ts';
export { type OpenedArchive, openArchive } from './open-archive.ts';
export { sealArchive } from './seal-archive.ts';
