import type { FieldFault } from '#kit/std';

/** The result of parsing a spec: a value to work with, or all faults. */
export type Parsed<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'faulty'; readonly faults: readonly FieldFault[] };

/** The value is computed only if there are no faults. */
export function parsedUnless<T>(faults: readonly FieldFault[], value: () => T): Parsed<T> {
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'parsed', value: value() };
}
