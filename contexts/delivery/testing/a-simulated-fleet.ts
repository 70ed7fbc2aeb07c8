import { setImmediate as turn } from 'node:timers/promises';
import { sleep, systemClock } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { SimulatedFleet, type SimulatedFleetDeps } from '../adapters/simulated/simulated-fleet.ts';
import { RecordingReports } from './recording-reports.ts';

export interface RunningFleet {
  readonly fleet: SimulatedFleet;
  readonly reports: RecordingReports;
  /** Stops it, and waits until it has. */
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

/** Time passes only when the test says so; whatever was begun before has come to where it waits for it. */
export async function frozenFleet(deps: Partial<SimulatedFleetDeps>, signal: AbortSignal) {
  const clock = new FakeClock();
  const pass = async (ms: number): Promise<void> => {
    await turn();
    await clock.advance(ms);
  };
  return { pass, ...(await runningFleet({ clock, sleep: clock.sleep, ...deps }, signal)) };
}
