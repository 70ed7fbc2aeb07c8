import type { RevisionDiffResource, TargetDiffResource } from '#protocol/api';
import type { Paint } from '../../../output/paint.ts';
import { printable } from '../../../output/printable.ts';
import { withinReason } from '../../../output/render-diff.ts';
import { renderSpecDiff, renderTargetDiff } from '../../../output/spec-difference.ts';

/** Renders how the spec changed and the result on each target. Targets with the same change are grouped. */
export function renderRevisionDiff(diff: RevisionDiffResource, paint: Paint, wantsDetails = false): string[] {
  return withinReason((isBrief) => rendered(diff, paint, isBrief), wantsDetails);
}

function rendered(diff: RevisionDiffResource, paint: Paint, isBrief: boolean): string[] {
  const { revision, against, spec, counts, targets, nextPageToken } = diff;
  const { added, removed, changed, unchanged } = counts;
  const than = against === undefined ? 'the first' : `compared with revision ${against}`;
  return [
    `revision ${revision}, ${than}: ${added} targets added, ${removed} removed, ${changed} changed, ${unchanged} unchanged`,
    ...(spec.length === 0 ? [] : ['', ...renderSpecDiff(spec, paint, isBrief)]),
    ...renderTargetDiffs(targets, paint, isBrief),
    ...(nextPageToken === undefined ? [] : ['', 'there are more targets; --limit shows more of them']),
  ];
}

/** A change is often the same on hundreds of targets: it is shown once, with all of their names. */
function renderTargetDiffs(targets: readonly TargetDiffResource[], paint: Paint, isBrief: boolean): string[] {
  const alike = Map.groupBy(targets, ({ kind, documents }) => JSON.stringify([kind, documents]));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ target }) => target);
    const heading = names.length === 1 ? `on ${names[0]}:` : `on ${names.length} targets, ${names.join(', ')}:`;
    const lines = renderTargetDiff(first.documents, paint, isBrief);
    return ['', paint('bold', printable(heading)), ...lines.map((line) => `  ${line}`)];
  });
}
