import type { ActivityRunner, ActivityStep } from './activity-runner.ts';
import type { LiveRun } from './live-run.ts';

/** Starts activities of workflows in memory, and reports the outcomes to the workflows. */
export class RunningActivities {
  readonly #runner: ActivityRunner;
  readonly #onNews: (run: LiveRun) => void;

  constructor(runner: ActivityRunner, onNews: (run: LiveRun) => void) {
    this.#runner = runner;
    this.#onNews = onNews;
  }

  /**
   * Does nothing if the step is already running. A failed attempt is followed by the next one, unless the workflow is
   * paused.
   */
  start(run: LiveRun, step: ActivityStep): void {
    const { number } = step;
    if (run.running.has(number)) return;
    const stop = this.#runner.start({
      workflowId: run.id,
      run: run.record.run,
      step,
      before: run.attempts.get(number),
      onOutcome: (outcome) => {
        run.running.delete(number);
        if (outcome.kind === 'done')
          run.tell({ kind: 'ended', step: number, result: outcome.result, error: undefined });
        if (outcome.kind === 'failed')
          run.tell({ kind: 'ended', step: number, result: undefined, error: outcome.error });
        if (outcome.kind === 'retry') {
          run.noteAttempts(number, outcome.attempts);
          if (!run.paused) this.start(run, step);
        }
        this.#onNews(run);
      },
    });
    run.running.set(number, stop);
  }

  stop(run: LiveRun, step: number, reason: unknown): void {
    run.running.get(step)?.(reason);
    run.running.delete(step);
  }

  stopAll(run: LiveRun, reason: unknown): void {
    for (const step of run.running.keys()) this.stop(run, step, reason);
  }
}
