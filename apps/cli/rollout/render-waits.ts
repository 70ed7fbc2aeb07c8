import type { ApprovalResource, DeploymentResource, DeploymentTargetResource } from '#protocol/api';
import { printable } from '../output/printable.ts';
import { renderAge, renderTimeFrom } from '../output/render-time.ts';
import type { Wait } from './rollout-parts.ts';
import type { Drawing, RolloutPicture } from './rollout-picture.ts';

const NAMED = 10;

/** Renders why the rollout does not progress: the cause, since when, until when, and what a person can do. */
export function renderWaits(
  { deployment, targets, approvals }: RolloutPicture,
  { now, paint }: Pick<Drawing, 'now' | 'paint'>,
): string[] {
  const names = namesOf(targets);
  const lines = (deployment.status.rollout?.waits ?? []).flatMap((wait) => {
    const approval = approvals.find(({ gate }) => gate === wait.gate);
    return [
      paint('yellow', printable(`- ${waitText(wait, { now, names })}`)),
      ...(approval === undefined ? [] : [printable(`  ${approvalText(approval)}`)]),
      ...unblockLines(wait, deployment).map((line) => printable(`  ${line}`)),
    ];
  });
  const held = heldLines(deployment, names).map((line, index) => (index === 0 ? paint('yellow', line) : line));
  return lines.length + held.length === 0 ? [] : ['Waiting for:', ...lines, ...held];
}

/** `the gate canary/after/0 for 2m, until …: waits for an approval`. */
export function waitText(wait: Wait, { now, names }: { readonly now: number; readonly names: Names }): string {
  const { kind, gate, since, until, message, count = 0, targets = [] } = wait;
  const what = gate === undefined ? WORDS[kind] : `the gate ${gate}`;
  const end = until === undefined ? '' : `, until ${renderTimeFrom(until, now)}`;
  const more = count > targets.length ? ` and ${count - targets.length} more` : '';
  const which = targets.length === 0 ? '' : `: ${targets.map((id) => names.get(id) ?? id).join(', ')}${more}`;
  return `${what} for ${renderAge(since, now)}${end}: ${message}${which}`;
}

/** The unblock text of the platform, with the commands that do it if there are any. */
export function unblockText(wait: Wait, deployment: DeploymentResource): string {
  const commands = commandsFor(wait, deployment);
  return commands.length === 0 ? wait.unblock : `${wait.unblock}: ${commands.join(' | ')}`;
}

/** A single command stands in the same line; of several, each has its own. */
function unblockLines(wait: Wait, deployment: DeploymentResource): string[] {
  const commands = commandsFor(wait, deployment);
  if (commands.length < 2) return [`to continue: ${unblockText(wait, deployment)}`];
  return [`to continue: ${wait.unblock}`, ...commands.map((command) => `  ${command}`)];
}

type Names = ReadonlyMap<string, string>;

const WORDS: Readonly<Record<Wait['kind'], string>> = {
  start: 'the start',
  resume: 'a person',
  gate: 'a gate',
  targets: 'targets',
  offline: 'offline targets',
  budget: 'the budget',
  conflict: 'a budget that blocks every step',
};

function namesOf(targets: readonly DeploymentTargetResource[]): Names {
  return new Map(targets.map(({ uid, target }) => [uid, target]));
}

function approvalText({
  requestedBy,
  requesters,
  needsDistinctApprover,
  noEligibleApprover,
}: ApprovalResource): string {
  const asked = `requested by ${requestedBy}`;
  if (!needsDistinctApprover) return asked;
  const second = `${asked}; needs a second person, not one of ${requesters.join(', ')}`;
  if (noEligibleApprover !== true) return second;
  return `${second}. No eligible person may approve here: grant one the role, or approve with --override as an administrator`;
}

function heldLines({ name, workspace, status }: DeploymentResource, names: Names): string[] {
  const { held, waiting = [] } = status.placement;
  const [first] = held;
  if (first === undefined) return [];
  const which = held.slice(0, NAMED).map(({ id }) => names.get(id) ?? id);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  const isOwn = held.every(({ why }) => why === 'MovesUnfinished');
  const awaited = isOwn ? 'the end of earlier moves' : 'confirmation';
  const byItself = isOwn ? 'it continues by itself; at once: ' : '';
  return [
    printable(`- ${awaited} to remove it from targets: ${which.join(', ')}${more}: ${first.message}`),
    ...waitingLine(waiting.map((target) => target.name)),
    printable(`  to continue: ${byItself}fleetshift rollout confirm-removal ${name} -w ${workspace}`),
  ];
}

function waitingLine(waiting: readonly string[]): string[] {
  if (waiting.length === 0) return [];
  const more = waiting.length > NAMED ? ` and ${waiting.length - NAMED} more` : '';
  return [printable(`  after that it is placed on targets: ${waiting.slice(0, NAMED).join(', ')}${more}`)];
}

/** The commands that end the wait. */
function commandsFor({ kind, gate }: Wait, { name, workspace, status }: DeploymentResource): readonly string[] {
  const commands = (...verbs: string[]) => verbs.map((verb) => `fleetshift rollout ${verb} ${name} -w ${workspace}`);
  const { reason, steps = [] } = status.rollout ?? {};
  if (kind === 'resume')
    return reason === 'FailuresExceeded' ? commands('retry', 'rollback', 'resume') : commands('resume');
  if (kind === 'conflict') return commands('replan');
  const isApproval = steps.some((step) => step.gate?.type === 'approval' && step.gate.id === gate);
  return kind === 'gate' && isApproval ? commands('approve') : [];
}
