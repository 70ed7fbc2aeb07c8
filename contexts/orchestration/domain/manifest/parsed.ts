import type { FieldFault } from '#kit/std';

/** What a parser makes of a spec: something to work with, or everything that is wrong with it. */
export type Parsed<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  | { readonly kind: 'faulty'; readonly faults: readonly FieldFault[] };

/** The value is asked for only when there is nothing wrong. */
export function parsedUnless<T>(faults: readonly FieldFault[], value: () => T): Parsed<T> {
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'parsed', value: value() };
}
