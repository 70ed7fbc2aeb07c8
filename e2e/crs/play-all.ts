import type { Course } from './compare.ts';
import type { ManagerKind } from './managers.ts';
import type { Scenario } from './scenario.ts';
import type { Side } from './side.ts';

export interface PlayOptions {
  readonly sides: readonly Side[];
  readonly scenarios: readonly Scenario[];
  /** Told when a scenario is over on every side. */
  readonly played: (scenario: Scenario) => void;
}

export interface Played {
  readonly scenario: Scenario;
  readonly courses: Readonly<Partial<Record<ManagerKind, Course>>>;
}

/** Most of each is waiting, so that many go on at the same time; not so many that the machine is what they wait for. */
const WIDTH = 12;

/** Every scenario on every side; what did not come about on one of them is thrown together at the end. */
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
