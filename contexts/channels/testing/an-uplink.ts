import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { sleep, systemClock } from '#kit/std';
import { PATIENCE_MS } from '#testing/patience';
import { sha256 } from '../adapters/sha256.ts';
import type { Connect } from '../application/link.ts';
import { Uplink, type UplinkDeps, type UplinkState } from '../application/uplink.ts';

export interface RunningUplink {
  readonly uplink: Uplink;
  readonly states: UplinkState[];
  stop(): Promise<void>;
}

/** Uses the same connection for both classes by default, and reconnects quickly. */
export function anUplink(connect: Connect, deps: Partial<UplinkDeps> = {}): RunningUplink {
  const states: UplinkState[] = [];
  const uplink = new Uplink({
    connect: { control: connect, bulk: connect },
    session: randomUUID(),
    process: 'test',
    clock: systemClock,
    sleep,
    random: Math.random,
    newId: randomUUID,
    sha256,
    heartbeatMs: 5_000,
    onState: (state) => states.push(state),
    ...deps,
    pace: { baseMs: 5, capMs: 20, ...deps.pace },
  });
  const over = new AbortController();
  const done = uplink.run(over.signal);
  return {
    uplink,
    states,
    stop: async () => {
      over.abort();
      await done;
    },
  };
}

/** Waits until everything that needs no timer is done. */
export async function settled(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await turn();
}

/** Waits until the condition holds, for any number of event loop turns, bounded by the test's own timeout. */
export async function until(holds: () => boolean): Promise<void> {
  const late = Date.now() + PATIENCE_MS;
  while (!holds()) {
    if (Date.now() > late) throw new Error(`did not come to hold: ${holds.toString()}`);
    await turn();
  }
}

export const text = (said: string): Uint8Array => Buffer.from(said);
