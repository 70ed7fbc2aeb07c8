export { type CacheErrorCode } from './cache-error.ts';
export type { ChangeHandler, Informer, InformerDeps, InformerOptions, Selectors } from './informer.ts';
export { InformerFactory, type SharedInformerOptions } from './informer-factory.ts';
export type { IndexValues, ObjectIndex } from './object-index.ts';
export type { Change, Lister, ObjectKey } from './object-store.ts';
export { dropManagedFields, type Trim } from './trim.ts';
