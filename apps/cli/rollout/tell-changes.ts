import type { DeploymentResource } from '#protocol/api';
import { printable } from '../output/printable.ts';
import { unblockText, waitText } from './render-waits.ts';
import type { Rollout, Step, Wait } from './rollout-parts.ts';

/** The changes since the last state, one per line: for logs, where nothing can be redrawn. */
export function tellChanges(
  before: DeploymentResource | undefined,
  after: DeploymentResource,
  now: number,
): readonly string[] {
  const { rollout, blocked } = after.status;
  const isBlocked = blocked !== undefined && blocked.message !== before?.status.blocked?.message;
  const lines = isBlocked ? [`cannot be planned: ${blocked.reason}: ${blocked.message}`] : [];
  if (rollout === undefined) return lines.map(printable);
  const last = before?.status.rollout;
  const old = last?.revision === rollout.revision ? last : undefined;
  const stepsBefore = new Map(old?.steps.map((step) => [step.name, step]));
  const waitsBefore = new Set(old?.waits.map(identityOf));
  // Each rollout waits briefly for its start, which is not worth a line.
  const waits = rollout.waits.filter((wait) => wait.kind !== 'start' && !waitsBefore.has(identityOf(wait)));
  return [
    ...lines,
    ...(old === undefined ? [beginning(rollout)] : []),
    ...rollout.steps.flatMap((step) => stepChange(stepsBefore.get(step.name), step)),
    ...phaseChange(old, rollout),
    ...waits.map(
      (wait) => `waiting for ${waitText(wait, { now, names: new Map() })}; to continue: ${unblockText(wait, after)}`,
    ),
  ].map(printable);
}

function beginning({ revision, steps, trigger, requestedBy }: Rollout): string {
  const targets = steps.reduce((sum, step) => sum + step.targets, 0);
  const where = `${targets} ${targets === 1 ? 'target' : 'targets'} in ${steps.length} ${steps.length === 1 ? 'stage' : 'stages'}`;
  return `revision ${revision}: ${where}; ${trigger}; requested by ${requestedBy}`;
}

function stepChange(before: Step | undefined, after: Step): string[] {
  const { name, fate, done, failed, targets, gate } = after;
  const isFresh = targets === 0 || (before === undefined && fate === 'ahead');
  const isSame =
    before?.done === done && before.failed === failed && before.fate === fate && before.gate?.id === gate?.id;
  if (isSame || isFresh) return [];
  const words = [`${done} of ${targets} done`, ...(failed > 0 ? [`${failed} failed`] : [])];
  if (gate !== undefined && before?.gate?.id !== gate.id) words.push(`at the gate ${gate.type}`);
  if (fate !== before?.fate && fate !== 'open') words.push(fate);
  return [`${name}: ${words.join(', ')}`];
}

function phaseChange(before: Rollout | undefined, { phase, outcome, reason, message }: Rollout): string[] {
  if (before?.phase === phase && before.outcome === outcome && before.reason === reason) return [];
  const why = [reason, message].filter(Boolean).join(': ');
  return [`${outcome ?? phase}${why === '' ? '' : `: ${why}`}`];
}

/** The same wait for other targets is not reported again: their stage reports how many are done. */
function identityOf({ kind, gate, message }: Wait): string {
  return [kind, gate, message].join('\n');
}
