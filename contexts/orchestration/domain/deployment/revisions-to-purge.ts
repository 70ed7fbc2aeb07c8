import type { Revision } from './revision.ts';

export const DEFAULT_KEPT_REVISIONS = 10;

export interface Retention {
  /** How many of the latest are kept, whatever became of them. At least one. */
  readonly keep: number;
  /** Kept beside them: the one under way, and those that somebody is about to go back to. */
  readonly pinned: ReadonlySet<number>;
}

/** The last that succeeded is always kept, since it is what an automatic rollback goes to. In order. */
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
