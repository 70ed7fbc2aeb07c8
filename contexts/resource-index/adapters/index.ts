export { RESOURCE_INDEX_MIGRATIONS } from './migrations.ts';
export { type IndexChannel, openResourceIndex, type ResourceIndex } from './open-resource-index.ts';
export { indexInTree, purgeExpired } from './sql/index-in-tree.ts';
export { indexRowCounts } from './sql/sql-index-reader.ts';
export { decodeToIndexer, encodeFromIndexer } from './wire/index-codec.ts';
