import type { RevisionDiffResource, TargetDiffResource } from '#protocol/api';
import type { Paint } from '../../../output/paint.ts';
import { printable } from '../../../output/printable.ts';
import { renderDiff } from '../../../output/render-diff.ts';

/** Renders how the spec changed and the result on each target. Targets with the same change are grouped. */
export function renderRevisionDiff(diff: RevisionDiffResource, paint: Paint): string[] {
  const { revision, against, spec, counts, targets, nextPageToken } = diff;
  const { added, removed, changed, unchanged } = counts;
  const than = against === undefined ? 'the first' : `compared with revision ${against}`;
  return [
    `revision ${revision}, ${than}: ${added} targets added, ${removed} removed, ${changed} changed, ${unchanged} unchanged`,
    ...(spec.length === 0 ? [] : ['', ...renderDiff([{ document: 'spec', kind: 'changed', fields: spec }], paint)]),
    ...renderTargetDiffs(targets, paint),
    ...(nextPageToken === undefined ? [] : ['', 'there are more targets; --limit shows more of them']),
  ];
}

/** A change is often the same on hundreds of targets: it is shown once, with all of their names. */
function renderTargetDiffs(targets: readonly TargetDiffResource[], paint: Paint): string[] {
  const alike = Map.groupBy(targets, ({ kind, documents }) => JSON.stringify([kind, documents]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ target }) => target);
    const heading = names.length === 1 ? `on ${names[0]}:` : `on ${names.length} targets, ${names.join(', ')}:`;
    return ['', paint('bold', printable(heading)), ...renderDiff(first.documents, paint).map((line) => `  ${line}`)];
  });
}
