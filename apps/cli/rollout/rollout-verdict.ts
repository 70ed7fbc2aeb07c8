import type { DeploymentResource } from '#protocol/api';
import { EXIT, type ExitCode } from '../command.ts';
import type { Rollout } from './rollout-parts.ts';

/** Whether there is something left to wait for, and if not, the outcome. */
export type Verdict =
  | { readonly kind: 'goesOn' }
  /** Nothing more starts until a person acts. */
  | { readonly kind: 'stopped'; readonly code: ExitCode; readonly message: string }
  | { readonly kind: 'ended'; readonly code: ExitCode; readonly message: string };

/** The verdict on the rollout of a generation, or of the latest one. */
export function rolloutVerdict(deployment: DeploymentResource, generation = deployment.generation): Verdict {
  const { name, observedGeneration, reconciling, status } = deployment;
  const { rollout } = status;
  const isSeen = observedGeneration >= generation;
  if (reconciling && rollout?.phase === 'Paused' && (isSeen || rollout.reason === 'PausedByUser')) {
    const code = rollout.reason === 'PausedByUser' ? EXIT.waiting : EXIT.failure;
    return { kind: 'stopped', code, message: `revision ${rollout.revision} of ${name} is paused${because(rollout)}` };
  }
  if (isSeen && rollout !== undefined && waitsForApproval(rollout)) {
    const act = `approve or reject it: fleetshift rollout approve ${name} -w ${deployment.workspace}`;
    return {
      kind: 'stopped',
      code: EXIT.waiting,
      message: `revision ${rollout.revision} of ${name} waits for an approval; ${act}`,
    };
  }
  if (!isSeen || reconciling) return { kind: 'goesOn' };
  // A move that waits for earlier ones needs no person.
  const held = status.placement.held.filter(({ why }) => why !== 'MovesUnfinished');
  if (held.length > 0) {
    const targets = held.length === 1 ? '1 target waits' : `${held.length} targets wait`;
    return { kind: 'stopped', code: EXIT.waiting, message: `${name}: ${targets} for confirmation of the removal` };
  }
  if (rollout === undefined) return { kind: 'ended', code: EXIT.ok, message: `${name}: there was nothing to roll out` };
  const code = rollout.outcome === 'Succeeded' ? EXIT.ok : EXIT.failure;
  const message = `revision ${rollout.revision} of ${name}: ${rollout.outcome ?? rollout.phase}${because(rollout)}`;
  return { kind: 'ended', code, message };
}

/** Not while anything else is under way, which a person may want to see first. */
function waitsForApproval({ phase, waits, steps }: Rollout): boolean {
  const approvals = steps.flatMap(({ gate }) => (gate?.type === 'approval' ? [gate.id] : []));
  const isApproval = ({ kind, gate }: Rollout['waits'][number]) =>
    kind === 'gate' && gate !== undefined && approvals.includes(gate);
  return phase === 'Running' && waits.length > 0 && waits.every(isApproval);
}

function because({ reason, message }: Rollout): string {
  const why = [reason, message].filter(Boolean).join(': ');
  return why === '' ? '' : ` (${why})`;
}
