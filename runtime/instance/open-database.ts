import { type MigrationModule, openPostgres, openSqlite, type Storage, StorageError } from '#kit/storage';
import type { DatabaseChoice } from './database-kind.ts';

export interface DatabaseOptions {
  readonly choice: DatabaseChoice;
  readonly sqliteFile: string;
  readonly modules: readonly MigrationModule[];
}

/** Opens the database and migrates it. Errors name the database. */
export async function openDatabase(options: DatabaseOptions, signal: AbortSignal): Promise<Storage> {
  const { choice, sqliteFile, modules } = options;
  const shown = choice.engine === 'sqlite' ? sqliteFile : choice.shown;
  try {
    return choice.engine === 'sqlite'
      ? await openSqlite({ file: sqliteFile, modules }, signal)
      : await openPostgres({ url: choice.url.reveal(), modules }, signal);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new StorageError(error.code, `open the database ${shown}: ${chain(error)}`, { cause: error });
  }
}

/** A failed migration is named in the message; its reason is in the cause. */
function chain(error: StorageError): string {
  return error.cause instanceof StorageError ? `${error.message}: ${chain(error.cause)}` : error.message;
}
