export { type ColumnShape, describeTables, quoted, type TableShape } from './describe-tables.ts';
