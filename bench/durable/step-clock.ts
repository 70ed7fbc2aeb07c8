import { type ActivityImplementation, implementActivity } from '#kit/durable';
import { type Figure, plain } from '../figure.ts';
import { percentile } from '../statistics.ts';
import { nothing } from './bench-workflows.ts';

/** More than any workflow has steps here: the input of a step tells whose it is. */
const STEPS_EACH = 1_000_000;

/**
 * Measures how long each step takes in the eyes of its workflow: the time from the start of a step to the start of the next, with
 * the journal in between.
 */
export class StepClock {
  readonly #latencies: number[] = [];
  readonly #begun = new Map<number, number>();

  readonly activity: ActivityImplementation = implementActivity(nothing, async (input) => {
    const workflow = Math.floor(input / STEPS_EACH);
    const now = performance.now();
    const before = this.#begun.get(workflow);
    if (before !== undefined) this.#latencies.push(now - before);
    this.#begun.set(workflow, now);
    return input;
  });

  /** The first step of this workflow, as `from` of `step-by-step`. */
  static from(workflow: number): number {
    return workflow * STEPS_EACH;
  }

  /** Forgets what it has measured, to measure other workflows with the same numbers. */
  reset(): void {
    this.#latencies.length = 0;
    this.#begun.clear();
  }

  figures(name: string): Figure[] {
    return [0.5, 0.99].map((share) =>
      plain(`${name}: p${share * 100} of a step`, percentile(this.#latencies, share), 'ms'),
    );
  }
}
