/**
 * Round robin over the present members: the next after `before` in the order in which they joined, and the first again after
 * the last. A member that leaves does not shift the others.
 */
export function takeTurn<T extends { readonly order: number }>(there: readonly T[], before: number): T | undefined {
  let first: T | undefined;
  let next: T | undefined;
  for (const each of there) {
    if (first === undefined || each.order < first.order) first = each;
    if (each.order > before && (next === undefined || each.order < next.order)) next = each;
  }
  return next ?? first;
}
