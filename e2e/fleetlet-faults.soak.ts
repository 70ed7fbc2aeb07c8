import { seededRandom } from '#testing/seeded';
import { type Soak, SoakCaseFailure, type SoakOptions } from '#testing/soak';
import { FaultRun, makeSchedule } from './fleetlet-faults/fault-run.ts';
import { FaultyWorld, TRANSPORTS, type TransportName } from './fleetlet-faults/faulty-world.ts';

/** Enough that faults meet the leftovers of earlier ones, and few enough that a failure can be analysed. */
const SCHEDULES_PER_WORLD = 25;

export const soak: Soak = {
  description: 'a fleetlet between a local process and a platform, over both transports, on a faulty network',
  defaultCount: 1_000,
  /** Runs both transports at once, each with every other seed: they spend most of the time waiting. */
  async run(options) {
    let done = 0;
    const progress = (): void => options.progress((done += 1));
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    const lanes = TRANSPORTS.map((transport) => playLane(transport, { ...options, signal, progress }));
    for (const lane of lanes) lane.catch((error: unknown) => stop.abort(error));
    await Promise.allSettled(lanes);
    options.signal.throwIfAborted();
    stop.signal.throwIfAborted();
  },
};

type LaneOptions = Omit<SoakOptions, 'progress'> & { readonly progress: () => void };

async function playLane(transport: TransportName, options: LaneOptions): Promise<void> {
  const { count, seed: first } = options;
  const all = Array.from({ length: count }, (_, index) => first + index);
  const seeds = all.filter((seed) => TRANSPORTS[seed % TRANSPORTS.length] === transport);
  for (let begun = 0; begun < seeds.length; begun += SCHEDULES_PER_WORLD) {
    await playOnOneWorld(transport, seeds.slice(begun, begun + SCHEDULES_PER_WORLD), options);
  }
}

async function playOnOneWorld(transport: TransportName, seeds: readonly number[], options: LaneOptions): Promise<void> {
  const { signal, progress } = options;
  const world = await FaultyWorld.create(transport, seeds[0] ?? 0);
  try {
    const run = new FaultRun(world);
    for (const seed of seeds) {
      signal.throwIfAborted();
      await run.play(makeSchedule(seededRandom(seed)), signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new SoakCaseFailure(seed, error);
      });
      progress();
    }
    if (run.looks === 0) throw new Error('nobody has looked at the buffers of the fleetlet');
  } finally {
    await world.dispose();
  }
}
