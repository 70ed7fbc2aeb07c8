import type { PreviewResource } from '#protocol/api';
import type { Paint } from '../../../output/paint.ts';
import { printable } from '../../../output/printable.ts';
import { withinReason } from '../../../output/render-diff.ts';
import { renderTable } from '../../../output/render-table.ts';
import { renderSpecDiff, renderTargetDiff } from '../../../output/spec-difference.ts';

type Target = PreviewResource['targets'][number];

const NAMED = 20;

export interface PreviewView {
  /** Every field of every change, however many there are. */
  readonly details?: boolean;
  /** Without the steps of the rollout. */
  readonly withoutPlan?: boolean;
}

/** Renders which targets get which content in which order, and what that changes. */
export function renderPreview(
  preview: PreviewResource,
  paint: Paint,
  { details = false, withoutPlan = false }: PreviewView = {},
): string[] {
  return withinReason((isBrief) => rendered(preview, paint, { isBrief, withoutPlan }), details);
}

function rendered(
  preview: PreviewResource,
  paint: Paint,
  { isBrief, withoutPlan }: { readonly isBrief: boolean; readonly withoutPlan: boolean },
): string[] {
  const { deployment, revision, counts, spec, digest } = preview;
  const { added, changed, unchanged, removed, failing } = counts;
  const numbers = `${added} targets added, ${changed} changed, ${unchanged} unchanged, ${removed} removed`;
  const wrong = failing === 0 ? '' : `, ${failing} fail`;
  // For a new deployment the whole spec would be a change; the caller has just written it, so it is not repeated.
  const fields = spec.filter(({ path }) => path !== '');
  const blocks = [
    [`${paint('bold', deployment)} would be revision ${revision}: ${numbers}${wrong}`, `digest ${digest}`],
    renderSpecDiff(fields, paint, isBrief),
    resolutionLines(preview.resolution, paint),
    withoutPlan ? [] : planLines(preview.plan),
    ...targetBlocks(preview.targets, paint, isBrief),
    restLine(preview),
  ];
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function resolutionLines(resolution: PreviewResource['resolution'], paint: Paint): string[] {
  const { kind, why = '', added, removed, held, waiting = [], excluded, missing } = resolution;
  const doubt = kind === 'unsure' ? [`placement is unsure, so all targets keep what they have: ${why}`] : [];
  return [
    ...doubt.map((line) => paint('red', printable(line))),
    ...named('added', added),
    ...named(
      'removed',
      removed.map(({ target, cause }) => `${target} (${cause})`),
    ).map((line) => paint('red', line)),
    ...named('removal held for confirmation', held.map(withReason)).map((line) => paint('yellow', line)),
    ...named(
      'waiting until those are removed',
      waiting.map(({ target }) => target),
    ).map((line) => paint('yellow', line)),
    ...named('excluded', excluded.map(withReason)),
    ...named('named by the placement but missing', missing).map((line) => paint('yellow', line)),
  ];
}

function withReason({ target, why }: { readonly target: string; readonly why: string }): string {
  return `${target} (${why})`;
}

/** One line, or none when the list is empty. */
function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return [printable(`${what}: ${names.slice(0, NAMED).join(', ')}${more}`)];
}

function planLines(plan: PreviewResource['plan']): string[] {
  if (plan === undefined) return [];
  const steps = plan.steps.filter(({ deliver, remove }) => deliver.length + remove.length > 0);
  const rows = steps.map(({ name, deliver, remove, before, after, maxConcurrency, failurePolicy }) => [
    name,
    String(deliver.length),
    String(remove.length),
    before.join(', ') || '-',
    after.join(', ') || '-',
    maxConcurrency === undefined ? 'all' : String(maxConcurrency),
    failurePolicy,
  ]);
  if (rows.length === 0) return ['Nothing would be sent.'];
  const headings = ['STAGE', 'DELIVER', 'REMOVE', 'BEFORE', 'AFTER', 'PARALLEL', 'ON FAILURE'];
  return renderTable(headings, rows).trimEnd().split('\n');
}

/** A change that is the same on many targets is shown once, with all of their names. */
function targetBlocks(targets: readonly Target[], paint: Paint, isBrief: boolean): string[][] {
  // A target may have what would be delivered, and differ from it, because others changed it there.
  const shown = targets.filter(({ kind, agent }) => kind !== 'unchanged' || (agent?.changes.length ?? 0) > 0);
  const alike = Map.groupBy(shown, ({ kind, documents, message, agent }) =>
    JSON.stringify([kind, documents, message, agent]),
  );
  return [...alike.values()].map((group) => {
    const names = group.map(({ target }) => target);
    const heading = named(names.length === 1 ? 'on' : `on ${names.length} targets`, names);
    return [
      ...heading.map((line) => paint('bold', line)),
      ...group.slice(0, 1).flatMap((each) => diffLines(each, paint, isBrief)),
    ];
  });
}

function diffLines({ kind, documents, message, agent }: Target, paint: Paint, isBrief: boolean): string[] {
  const said = agent === undefined ? [] : [`agent: ${agent.kind}: ${agent.message}`, ...agent.changes];
  const lines = [
    ...(message === undefined ? [] : [paint('red', printable(message))]),
    ...(documents.length > 0 || (kind === 'changed' && message === undefined)
      ? renderTargetDiff(documents, paint, isBrief)
      : []),
    ...said.map(printable),
  ];
  return lines.map((line) => `  ${line}`);
}

function restLine({ counts, targets }: PreviewResource): string[] {
  const rest = Object.values(counts).reduce((sum, count) => sum + count, 0) - targets.length;
  return targets.length === 0 || rest <= 0 ? [] : [`${rest} more targets are not shown; show one with --target NAME`];
}
