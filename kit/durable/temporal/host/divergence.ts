import type { Payload } from '../../activity.ts';
import { DurableError } from '../../durable-error.ts';
import { drained } from '../../embedded/drained.ts';
import { begin } from '../../embedded/embedded-context.ts';
import { Execution } from '../../embedded/execution.ts';
import type { JournalEvent } from '../../embedded/journal-event.ts';
import type { WorkflowFailure } from '../../engine.ts';
import { toFailure } from '../../failure.ts';
import type { HistoryEntry } from '../../history.ts';
import type { AnyWorkflow } from '../../workflow.ts';
import { readActivityId } from '../wire.ts';
import type { HistoryFold } from './history-fold.ts';

export interface Suspect {
  readonly id: string;
  readonly fold: HistoryFold;
  /** Temporal's message about the difference. */
  readonly said: string;
  /** The current code. */
  readonly workflow: AnyWorkflow | undefined;
}

/**
 * Names the step at which code and history diverge, and what each of them has there.
 *
 * Temporal detects the difference, but its message has neither the step nor the values. The history is therefore
 * replayed with the current code once more, outside of Temporal, up to the step that differs.
 */
export async function divergence({ id, fold, said, workflow }: Suspect): Promise<WorkflowFailure> {
  try {
    if (workflow !== undefined) await retell(id, fold, { workflow, otherInput: stepWithOtherInput(said) });
  } catch (error) {
    if (error instanceof DurableError && error.code === 'REPLAY_DIVERGED') return toFailure(error);
    throw error;
  }
  return { code: 'REPLAY_DIVERGED', message: `workflow ${id}: ${said}` };
}

interface Retelling {
  readonly workflow: AnyWorkflow;
  /** The only step whose input is compared: others may hold times and random values that are different out here. */
  readonly otherInput: number | undefined;
}

async function retell(id: string, fold: HistoryFold, { workflow, otherInput }: Retelling): Promise<void> {
  const { run, input, startTime, carried, entries, unended } = fold;
  const text = JSON.stringify(input);
  const execution = new Execution({ workflow, id, run, input: text, startedAt: startTime, carried });
  execution.replaying = true;
  execution.learnPatches(entries.filter(({ kind }) => kind === 'patch').map(({ name }) => name));
  begin(execution);
  for (const entry of [...entries, ...unended]) {
    await drained();
    const asked = execution.pending.get(entry.step)?.asked;
    const event = toEvent(entry);
    execution.apply(asked === undefined || entry.step === otherInput ? event : { ...event, input: asked.input });
  }
}

function stepWithOtherInput(said: string): number | undefined {
  const [, activityId] = /^.*Activity id of scheduled event '([^']*)'/.exec(said) ?? [];
  return activityId === undefined ? undefined : readActivityId(activityId).step;
}

function toEvent({ kind, step, name, input, result, error, time }: HistoryEntry): JournalEvent {
  return { turn: 0, kind, step, name, input: textOf(input), result: textOf(result), error, signalId: undefined, time };
}

function textOf(value: Payload | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
