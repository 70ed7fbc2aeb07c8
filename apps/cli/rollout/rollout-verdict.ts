import type { DeploymentResource } from '#protocol/api';
import { EXIT, type ExitCode } from '../command.ts';
import type { Rollout } from './rollout-parts.ts';

/** Whether there is something left to wait for, and if not, the outcome. */
export type Verdict =
  | { readonly kind: 'goesOn' }
  /** Nothing more starts until a person acts. */
  | { readonly kind: 'stopped'; readonly message: string }
  | { readonly kind: 'ended'; readonly code: ExitCode; readonly message: string };

/** The verdict on the rollout of a generation, or of the latest one. */
export function rolloutVerdict(deployment: DeploymentResource, generation = deployment.generation): Verdict {
  const { name, observedGeneration, reconciling, status } = deployment;
  const { rollout } = status;
  const isSeen = observedGeneration >= generation;
  if (reconciling && rollout?.phase === 'Paused' && (isSeen || rollout.reason === 'PausedByUser')) {
    return { kind: 'stopped', message: `revision ${rollout.revision} of ${name} is paused${because(rollout)}` };
  }
  if (!isSeen || reconciling) return { kind: 'goesOn' };
  // A move that waits for earlier ones needs no person.
  const held = status.placement.held.filter(({ why }) => why !== 'MovesUnfinished');
  if (held.length > 0) {
    const targets = held.length === 1 ? '1 target waits' : `${held.length} targets wait`;
    return { kind: 'stopped', message: `${name}: ${targets} for confirmation of the removal` };
  }
  if (rollout === undefined) return { kind: 'ended', code: EXIT.ok, message: `${name}: there was nothing to roll out` };
  const code = rollout.outcome === 'Succeeded' ? EXIT.ok : EXIT.failure;
  const message = `revision ${rollout.revision} of ${name}: ${rollout.outcome ?? rollout.phase}${because(rollout)}`;
  return { kind: 'ended', code, message };
}

function because({ reason, message }: Rollout): string {
  const why = [reason, message].filter(Boolean).join(': ');
  return why === '' ? '' : ` (${why})`;
}
