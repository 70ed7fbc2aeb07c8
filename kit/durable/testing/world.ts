import type { Payload } from '#kit/durable';
import { type ActivityEnvironment, type ActivityImplementation, implementActivity } from '#kit/durable';
import { eventually } from './eventually.ts';
import { ACTIVITIES, type Work } from './workflows/activities.ts';

export interface Call extends Pick<ActivityEnvironment, 'attempt' | 'workflowId' | 'idempotencyKey'> {
  readonly activity: string;
  readonly work: Work;
}

export type Behaviour = (environment: ActivityEnvironment, work: Work) => Promise<Payload> | Payload;

/**
 * The external world of the test activities. Every attempt is recorded under its key, and the test can define its
 * behaviour; by default it succeeds. It outlives engines, like the real world.
 */
export class World {
  readonly #calls = new Map<string, Call[]>();
  readonly #behaviours = new Map<string, Behaviour>();

  readonly activities: readonly ActivityImplementation[] = ACTIVITIES.map((activity) =>
    implementActivity(activity, async (work, environment) => {
      const { attempt, workflowId, idempotencyKey } = environment;
      const call = { activity: activity.name, work, attempt, workflowId, idempotencyKey };
      this.#calls.set(work.key, [...this.calls(work.key), call]);
      return (await this.#behaviours.get(work.key)?.(environment, work)) ?? doneText(work.key);
    }),
  );

  behave(key: string, behaviour: Behaviour): void {
    this.#behaviours.set(key, behaviour);
  }

  calls(key: string): readonly Call[] {
    return this.#calls.get(key) ?? [];
  }

  async untilCalled(key: string, times = 1): Promise<void> {
    await eventually(`${times} calls of ${key}`, () => this.calls(key).length >= times);
  }

  /** Lets attempts of this key begin, and end only after `open`. */
  hold(key: string): { open(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.behave(key, async () => {
      await promise;
      return doneText(key);
    });
    return { open: resolve };
  }
}

/** The default result of work. */
export function doneText(key: string): string {
  return `did ${key}`;
}
