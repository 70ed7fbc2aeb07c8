import { afterEach } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sleep, systemClock } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import type { Behaviour } from '../adapters/simulated/behaviour.ts';
import { SimulatedFleet, type SimulatedFleetDeps } from '../adapters/simulated/simulated-fleet.ts';
import { aTarget } from './an-order.ts';
import { RecordingReports } from './recording-reports.ts';

export interface RunningFleet {
  readonly fleet: SimulatedFleet;
  readonly reports: RecordingReports;
  /** Stops it, and waits until it has stopped. */
  readonly stop: () => Promise<void>;
}

export async function runningFleet(deps: Partial<SimulatedFleetDeps>, signal: AbortSignal): Promise<RunningFleet> {
  const reports = new RecordingReports();
  const fleet = await SimulatedFleet.open({ reports, clock: systemClock, sleep, seed: 1, ...deps }, signal);
  const over = new AbortController();
  const run = fleet.run(over.signal);
  const stop = async (): Promise<void> => {
    over.abort();
    await run;
  };
  return { fleet, reports, stop };
}

/**
 * Time passes only when the test says so; everything begun before has advanced to the point where it waits for time.
 */
async function frozenFleet(deps: Partial<SimulatedFleetDeps>, signal: AbortSignal) {
  const clock = new FakeClock();
  const pass = async (ms: number): Promise<void> => {
    await turn();
    await clock.advance(ms);
  };
  return { pass, ...(await runningFleet({ clock, sleep: clock.sleep, ...deps }, signal)) };
}

/** `applied 1`, `health 1 Available`, in the order of the reports. */
export function textsOf(said: ReturnType<RecordingReports['all']>): string[] {
  return said.map((each) => {
    if (each.kind === 'inventory' || each.kind === 'connection') return each.kind;
    return `${each.kind} ${each.revision}${each.kind === 'health' ? ` ${each.health}` : ''}`;
  });
}

/** Fleets of connected targets with a frozen clock, which end with each test. */
export function fleetsForTests(signal: AbortSignal) {
  const running: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });
  return async (behaviour: Partial<Behaviour> = {}, deps: Partial<SimulatedFleetDeps> & { size?: number } = {}) => {
    const { size = 1, ...rest } = deps;
    const opened = await frozenFleet({ behaviour, ...rest }, signal);
    running.push(opened.stop);
    const targets = Array.from({ length: size }, (_, index) => aTarget(index + 1));
    opened.fleet.add(targets);
    await opened.pass(0);
    return { ...opened, targets };
  };
}
