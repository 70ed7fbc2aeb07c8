import type { FieldFault } from '#kit/std';

/** An empty list would place the deployment nowhere, which is never intended. */
export function targetTypeFaults(types: readonly string[] | undefined, at: string): FieldFault[] {
  if (types === undefined) return [];
  if (types.length === 0) return [{ path: at, message: 'must name a type, or be left out for all types' }];
  return types.flatMap((type, index) =>
    types.indexOf(type) < index ? [{ path: `${at}/${index}`, message: `names ${type} a second time` }] : [],
  );
}
