import type { Course } from './compare.ts';
import type { ManagerKind } from './managers.ts';
import type { Scenario } from './scenario.ts';
import type { Side } from './side.ts';

export interface PlayOptions {
  readonly sides: readonly Side[];
  readonly scenarios: readonly Scenario[];
  /** Called when a scenario has finished on every side. */
  readonly played: (scenario: Scenario) => void;
}

export interface Played {
  readonly scenario: Scenario;
  readonly courses: Readonly<Partial<Record<ManagerKind, Course>>>;
}

/** Scenarios mostly wait, so many run at once; not so many that they wait for the machine. */
const WIDTH = 12;

/** Plays every scenario on every side, and throws all failures together at the end. */
export async function playAll({ sides, scenarios, played }: PlayOptions, signal: AbortSignal): Promise<Played[]> {
  const waiting = [...scenarios];
  const done: Played[] = [];
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      signal.throwIfAborted();
      const story = scenario;
      const courses = await Promise.allSettled(
        sides.map(async (side) => [side.kind, await side.play(story, signal)] as const),
      );
      for (const it of courses) if (it.status === 'rejected') errors.push(it.reason);
      const told = courses.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
      done.push({ scenario, courses: Object.fromEntries(told) });
      played(scenario);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
  signal.throwIfAborted();
  if (errors.length > 0) throw new AggregateError(errors, `play ${scenarios.length} scenarios`);
  return done;
}
