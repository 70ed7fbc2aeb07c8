import type { WorkflowFailure } from '../../engine.ts';
import { divergence, type Suspect } from './divergence.ts';
import { hasStatus } from './temporal-service.ts';

export interface MaybeParked extends Omit<Suspect, 'said'> {
  /** Why the queried worker gave no answer. */
  readonly refusal: unknown;
}

const DIVERGED = /\[TMPRL1100\] Nondeterminism error: (.*)/s;
/** An error of ours that fails a workflow task begins with its code. */
const CODED = /\b(WORKFLOW_UNKNOWN): (.*)/s;

/** Why the workflow cannot continue with the current code; `undefined` if there is no sign of that. */
export async function parkedReason({ refusal, ...suspect }: MaybeParked): Promise<WorkflowFailure | undefined> {
  const { status, stuck } = suspect.fold;
  if (status !== 'running') return undefined;
  const said = stuck ?? (hasStatus(refusal, 'invalidArgument') ? refusal.message : undefined);
  if (said === undefined) return undefined;
  const [, difference] = DIVERGED.exec(said) ?? [];
  if (difference !== undefined) return await divergence({ ...suspect, said: difference });
  const [, code, message] = CODED.exec(said) ?? [];
  if (code !== undefined && message !== undefined) return { code, message };
  return stuck === undefined ? undefined : { code: 'WORKFLOW_PARKED', message: stuck };
}

/** Whether the response to a query means that the workflow is parked. */
export function saysParked(said: string): boolean {
  return DIVERGED.test(said) || CODED.test(said) || said.includes('Workflow Task in failed state');
}
