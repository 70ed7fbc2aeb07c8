export { type ColumnShape, describeTables, type TableShape } from './describe-tables.ts';
export { countRows, dumpDatabase, readSchema } from './dump-database.ts';
export { type DumpRecord, formatRecord, parseRecord, type SchemaLevel } from './dump-record.ts';
export { type Restored, type RestoreOptions, restoreDump } from './restore-dump.ts';
export { type TransferErrorCode } from './transfer-error.ts';
