import type { DeploymentResource } from '#protocol/api';
import { deploymentState } from '../kinds/deployment-state.ts';
import type { Colour, Paint } from '../output/paint.ts';
import { printable } from '../output/printable.ts';
import { renderBar } from '../output/render-bar.ts';
import { renderTable } from '../output/render-table.ts';
import { renderAge } from '../output/render-time.ts';
import { renderTargets } from './render-targets.ts';
import { renderWaits } from './render-waits.ts';
import type { Rollout, Step } from './rollout-parts.ts';
import type { Drawing, RolloutPicture } from './rollout-picture.ts';

/** Renders the summary, the stages, the waits, the children, and the targets that are not done. */
export function renderRollout(picture: RolloutPicture, drawing: Drawing): string[] {
  const { deployment } = picture;
  const blocks = [
    headLines(deployment, drawing),
    stepLines(deployment.status.rollout?.steps ?? [], drawing),
    renderWaits(picture, drawing),
    groupLines(picture, drawing),
    childLines(picture.children),
    renderTargets(picture, drawing),
  ];
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function headLines(deployment: DeploymentResource, { now, paint }: Drawing): string[] {
  const { name, workspace, deleteTime, status } = deployment;
  const { rollout, blocked } = status;
  const going = deleteTime === undefined ? '' : `, being deleted for ${renderAge(deleteTime, now)}`;
  const state =
    rollout === undefined
      ? 'nothing rolled out yet'
      : `revision ${rollout.revision} ${phaseText(rollout, paint)} for ${renderAge(rollout.since, now)}`;
  return [
    `${paint('bold', `${name} in ${workspace}`)}: ${state}${going}`,
    ...(rollout === undefined ? [] : [printable(`  ${rollout.trigger}; requested by ${rollout.requestedBy}`)]),
    `  ${countsText(status.counts)}`,
    ...(blocked === undefined
      ? []
      : [paint('red', printable(`  ${blocked.reason} for ${renderAge(blocked.since, now)}: ${blocked.message}`))]),
  ];
}

const PHASE_COLOURS: Readonly<Record<string, Colour>> = {
  Succeeded: 'green',
  Running: 'cyan',
  Planned: 'cyan',
  Paused: 'yellow',
};

function phaseText({ phase, outcome, reason, message = '' }: Rollout, paint: Paint): string {
  const word = outcome ?? phase;
  const why = [reason, message].filter(Boolean).join(': ');
  return `${paint(PHASE_COLOURS[word] ?? 'red', word)}${why === '' ? '' : printable(` (${why})`)}`;
}

/** `50 targets: 40 available, 8 in progress`. */
function countsText(counts: DeploymentResource['status']['counts']): string {
  const words = [
    `${counts.available} available`,
    ...several(counts.underWay, 'in progress'),
    ...several(counts.degraded, 'degraded'),
    ...several(counts.progressing ?? 0, 'progressing'),
    ...several(counts.unknown, 'of unknown health'),
    ...several(counts.offline, 'offline'),
    ...several(counts.failed, 'failed'),
    ...several(counts.leaving, 'leaving'),
    ...several(counts.drifted, 'drifted'),
  ];
  return `${counts.placed === 1 ? '1 target' : `${counts.placed} targets`}: ${words.join(', ')}`;
}

function several(count: number, word: string): string[] {
  return count === 0 ? [] : [`${count} ${word}`];
}

const BAR_WIDTH = 24;
const FATES: Readonly<Record<Step['fate'], { readonly text: string; readonly colour: Colour }>> = {
  ahead: { text: 'pending', colour: 'dim' },
  open: { text: 'open', colour: 'cyan' },
  passed: { text: 'passed: nothing to change', colour: 'dim' },
  cleared: { text: 'done', colour: 'green' },
};

/** A rolling rollout can have a hundred batches: only those around the current one are shown. */
const SHOWN_STEPS = 12;
const STEPS_BEFORE = 3;

function stepLines(steps: readonly Step[], { now, paint }: Drawing): string[] {
  if (steps.length === 0) return [];
  const current = steps.findIndex(({ fate }) => fate === 'open' || fate === 'ahead');
  const latest = Math.max(0, steps.length - SHOWN_STEPS);
  const first = Math.min(latest, Math.max(0, (current === -1 ? steps.length : current) - STEPS_BEFORE));
  const shown = steps.slice(first, first + SHOWN_STEPS);
  const rows = shown.map((step) => {
    const { name, done, targets } = step;
    const bar = targets === 0 ? '-' : renderBar({ ...step, of: targets }, BAR_WIDTH);
    return [name, bar, `${done}/${targets}`, stepText(step, now)];
  });
  const [heading = '', ...lines] = linesOf(['STAGE', 'PROGRESS', 'DONE', 'STATE'], rows);
  return [
    heading,
    ...restLine(steps.slice(0, first), 'before'),
    ...lines.map((line, index) => paint(stepColour(shown[index]), line)),
    ...restLine(steps.slice(first + SHOWN_STEPS), 'after'),
  ];
}

function restLine(steps: readonly Step[], where: 'before' | 'after'): string[] {
  if (steps.length === 0) return [];
  const sum = (count: (step: Step) => number): number => steps.reduce((total, step) => total + count(step), 0);
  const failed = several(
    sum((step) => step.failed),
    'failed',
  ).map((word) => `, ${word}`);
  return [
    `${steps.length} more ${where}: ${sum((step) => step.done)} of ${sum((step) => step.targets)} done${failed.join('')}`,
  ];
}

function stepColour(step: Step | undefined): Colour {
  if (step === undefined) return 'dim';
  if (step.failed > 0) return 'red';
  return step.gate === undefined ? FATES[step.fate].colour : 'yellow';
}

function stepText({ fate, underWay, failed, gate }: Step, now: number): string {
  const atGate = gate === undefined ? [] : [`at the gate ${gate.type} for ${renderAge(gate.since, now)}`];
  return [FATES[fate].text, ...several(underWay, 'in progress'), ...several(failed, 'failed'), ...atGate].join(', ');
}

function groupLines({ group }: RolloutPicture, { now }: Drawing): string[] {
  if (group === undefined) return [];
  const waits = group.waits.flatMap(({ child, since, message, unblock }) => [
    printable(`- ${child === undefined ? '' : `${child}: `}${message}, for ${renderAge(since, now)}`),
    printable(`  to continue: ${unblock}`),
  ]);
  return [printable(`The group is ${group.phase} for ${renderAge(group.since, now)}: ${group.message}`), ...waits];
}

function childLines(children: readonly DeploymentResource[]): string[] {
  if (children.length === 0) return [];
  const rows = children.map((child) => {
    const { available, placed } = child.status.counts;
    return [child.name, String(child.revision), `${available}/${placed}`, deploymentState(child)];
  });
  return linesOf(['CHILD', 'REVISION', 'AVAILABLE', 'STATE'], rows);
}

function linesOf(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return renderTable(headings, rows).trimEnd().split('\n');
}
