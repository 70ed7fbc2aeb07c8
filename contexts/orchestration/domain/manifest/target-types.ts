import type { FieldFault } from '#kit/std';

/** A list that nothing fits would place a deployment nowhere, and nobody means that. */
export function targetTypeFaults(types: readonly string[] | undefined, at: string): FieldFault[] {
  if (types === undefined) return [];
  if (types.length === 0) return [{ path: at, message: 'must name a type, or be left out for all of them' }];
  return types.flatMap((type, index) =>
    types.indexOf(type) < index ? [{ path: `${at}/${index}`, message: `names ${type} a second time` }] : [],
  );
}
