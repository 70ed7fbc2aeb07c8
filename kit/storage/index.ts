export { claimFolder, type FolderClaim, type FolderHolder } from './folder-lock.ts';
export { type Keyset, type KeysetPage, keyset } from './keyset.ts';
export type { Migration, MigrationModule } from './migrations.ts';
export { ENGINES, type Engine, type Reader, type Row, type Storage, type Transaction } from './port.ts';
export { openPostgres, type PostgresOptions } from './postgres/postgres-storage.ts';
export { type RefusedWrites, refusedWrites } from './refused-writes.ts';
export { type Parameter, type Statement, sql, type Value } from './sql.ts';
export { openSqlite, type SqliteOptions } from './sqlite/sqlite-storage.ts';
export { StorageError, type StorageErrorCode } from './storage-error.ts';
