import { DurableError } from '../durable-error.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { drained } from './drained.ts';
import { begin } from './embedded-context.ts';
import { Execution } from './execution.ts';
import type { LoadedWorkflow } from './journal.ts';
import type { JournalEvent } from './journal-event.ts';

export type Replayed =
  | { readonly kind: 'replayed'; readonly loaded: LoadedWorkflow; readonly execution: Execution; readonly turn: number }
  | { readonly kind: 'parked'; readonly loaded: LoadedWorkflow; readonly error: unknown };

/**
 * Restores workflows to the state after their last written turn, side by side: one turn of each, then all promises
 * settle, then the next. A workflow that cannot be restored is reported as parked and does not affect others.
 */
export async function replayAll(
  loaded: readonly LoadedWorkflow[],
  workflows: ReadonlyMap<string, AnyWorkflow>,
): Promise<Replayed[]> {
  const replays = loaded.map((each) => new Replay(each, workflows.get(each.record.name)));
  for (let busy = replays; busy.length > 0; busy = busy.filter((replay) => replay.tellNextTurn())) await drained();
  return replays.map((replay) => replay.outcome());
}

/** The replay of one workflow. */
class Replay {
  readonly #loaded: LoadedWorkflow;
  readonly #execution: Execution | undefined;
  #at = 0;
  #turn = 0;
  #error: unknown;

  constructor(loaded: LoadedWorkflow, workflow: AnyWorkflow | undefined) {
    this.#loaded = loaded;
    const { record } = loaded;
    if (workflow === undefined) {
      this.#error = new DurableError(
        'WORKFLOW_UNKNOWN',
        `no workflow ${record.name} is registered; start code that has it`,
      );
      return;
    }
    this.#execution = new Execution({
      workflow,
      id: record.id,
      run: record.run,
      input: record.input,
      startedAt: record.runStartedAt,
      carried: record.carried,
    });
    if (record.begun) this.#tell(() => this.#begin());
  }

  /** Returns false when there is nothing left to deliver. */
  tellNextTurn(): boolean {
    const next = this.#loaded.history[this.#at];
    if (next === undefined || this.#error !== undefined) return false;
    this.#turn = next.turn;
    this.#tell(() => {
      const events = this.#eventsOfTurn(next.turn);
      this.#execution?.learnPatches(this.#patchesOf(events));
      for (const event of events) this.#execution?.apply(event);
    });
    return true;
  }

  outcome(): Replayed {
    const [loaded, execution] = [this.#loaded, this.#execution];
    if (this.#error === undefined && execution?.end !== undefined && loaded.record.endedAt === undefined) {
      const message = `workflow ${loaded.record.id}: recorded as running, but the code now ends after turn ${this.#turn}`;
      this.#error = new DurableError('REPLAY_DIVERGED', message, { details: { recorded: 'running', now: 'ended' } });
    }
    if (this.#error !== undefined || execution === undefined) return { kind: 'parked', loaded, error: this.#error };
    // These commands were carried out when they were first issued.
    execution.takeCommands();
    execution.replaying = false;
    return { kind: 'replayed', loaded, execution, turn: this.#turn };
  }

  #begin(): void {
    if (this.#execution === undefined) return;
    this.#execution.learnPatches(this.#patchesOf(this.#eventsOfTurn(0)));
    begin(this.#execution);
  }

  #tell(body: () => void): void {
    if (this.#execution !== undefined) this.#execution.replaying = true;
    try {
      body();
    } catch (error) {
      this.#error = error;
    }
  }

  #eventsOfTurn(turn: number): JournalEvent[] {
    const events: JournalEvent[] = [];
    for (; this.#loaded.history[this.#at]?.turn === turn; this.#at++) {
      const event = this.#loaded.history[this.#at];
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  #patchesOf(events: readonly JournalEvent[]): string[] {
    return events.filter(({ kind }) => kind === 'patch').map(({ name }) => name);
  }
}
