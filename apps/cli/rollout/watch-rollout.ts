import { formatDuration, sleep, systemClock } from '#kit/std';
import { EXIT, type ExitCode } from '../command.ts';
import type { DataFormat } from '../output/render-data.ts';
import { followRollout } from './follow-rollout.ts';
import type { DeploymentAddress } from './read-rollout.ts';
import { type Telling, tellerFor } from './rollout-teller.ts';

export interface WatchedRollout extends Omit<Telling, 'clock'> {
  readonly address: DeploymentAddress;
  readonly output: 'table' | DataFormat;
  /** The maximum time to watch. */
  readonly timeoutMs: number | undefined;
  readonly endsWhenStopped: boolean;
  readonly generation?: number;
}

/** Watches for the commands. On timeout the rollout continues unwatched. */
export async function watchRollout(watched: WatchedRollout, signal: AbortSignal): Promise<ExitCode> {
  const { io, output, timeoutMs, address } = watched;
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const teller = tellerFor({ ...watched, clock: systemClock }, output);
  const followed = { ...watched, teller, sleep, random: Math.random };
  try {
    return await followRollout(followed, late === undefined ? signal : AbortSignal.any([signal, late]));
  } catch (error) {
    if (late === undefined || !late.aborted || signal.aborted) throw error;
    const act = `see what it waits for with: fleetshift rollout status ${address.name} -w ${address.workspace}`;
    io.err(`${address.name} is not done after ${formatDuration(timeoutMs ?? 0)} and continues; ${act}\n`);
    return EXIT.timedOut;
  }
}
