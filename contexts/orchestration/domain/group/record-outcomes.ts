import { REFUSAL_RETRY_MS } from './decide-group.ts';
import type { ChildRecord, GroupState } from './group-state.ts';
import { recordOf } from './members.ts';

/** The result of creating or patching a child. */
export type AskOutcome =
  /** With the generation that its deployment has now. */
  { readonly kind: 'done'; readonly generation: number } | { readonly kind: 'refused'; readonly message: string };

export interface Asked {
  readonly before: GroupState;
  readonly decided: GroupState;
  /** Revision of the group. */
  readonly revision: number;
  /** By name of the child. */
  readonly outcomes: ReadonlyMap<string, AskOutcome>;
}

/** A refused request is recorded as refused, and not as requested. */
export function recordOutcomes({ before, decided, revision, outcomes }: Asked, now: number): GroupState {
  const records = Object.entries(decided.children).map(([name, record]): [string, ChildRecord] => {
    const outcome = outcomes.get(name);
    if (outcome === undefined) return [name, record];
    if (outcome.kind === 'done') return [name, { ...record, generation: outcome.generation }];
    const refusal = { message: outcome.message, revision, until: now + REFUSAL_RETRY_MS };
    const { asked: _, ...unasked } = record;
    const asked = recordOf(before, name)?.asked;
    return [name, { ...unasked, ...(asked && { asked }), revision: recordOf(before, name)?.revision ?? 0, refusal }];
  });
  return { ...decided, children: Object.fromEntries(records) };
}
