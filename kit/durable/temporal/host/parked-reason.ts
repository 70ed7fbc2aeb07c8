import type { WorkflowFailure } from '../../engine.ts';
import { divergence, type Suspect } from './divergence.ts';
import { hasStatus } from './temporal-service.ts';

export interface MaybeParked extends Omit<Suspect, 'said'> {
  /** Why a worker that was asked about it gave no answer. */
  readonly refusal: unknown;
}

const DIVERGED = /\[TMPRL1100\] Nondeterminism error: (.*)/s;
/** An error of ours that fails a turn begins with its code. */
const CODED = /\b(WORKFLOW_UNKNOWN): (.*)/s;

/** Why it cannot go on with the code at hand; `undefined` when nothing says so. */
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

/** Of the answer to a query. */
export function saysParked(said: string): boolean {
  return DIVERGED.test(said) || CODED.test(said) || said.includes('Workflow Task in failed state');
}
