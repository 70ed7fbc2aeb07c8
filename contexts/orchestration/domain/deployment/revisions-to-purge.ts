import type { Revision } from './revision.ts';

export const DEFAULT_KEPT_REVISIONS = 10;

export interface Retention {
  /** How many of the latest revisions are kept, whatever their outcome. At least one. */
  readonly keep: number;
  /** Kept in addition: the revision under way, and those that a rollback was requested to. */
  readonly pinned: ReadonlySet<number>;
}

/** In ascending order. The last revision that succeeded is always kept, since an automatic rollback goes to it. */
export function revisionsToPurge(
  revisions: readonly Pick<Revision, 'revision' | 'outcome'>[],
  { keep, pinned }: Retention,
): readonly number[] {
  const newestFirst = revisions.toSorted((a, b) => b.revision - a.revision);
  const succeeded = newestFirst.find(({ outcome }) => outcome === 'Succeeded')?.revision;
  return newestFirst
    .slice(Math.max(1, keep))
    .map(({ revision }) => revision)
    .filter((revision) => revision !== succeeded && !pinned.has(revision))
    .reverse();
}
