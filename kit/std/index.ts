export { assertNever } from './assert-never.ts';
export type { Brand } from './brand.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type Catalogue,
  type CatalogueEntry,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type FieldFault,
  FleetError,
  type FleetErrorOptions,
  type Retry,
} from './errors.ts';
export { sleep } from './sleep.ts';
