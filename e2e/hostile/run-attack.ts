import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '#kit/storage';
import { platformHome } from '#testing/platform-process';
import type { Attack, Outcome } from './attack.ts';

/** Runs one attack in a home of its own, and removes the home. */
export async function runAttack(attack: Attack, engine: Engine, signal: AbortSignal): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-hostile-'));
  const home = await platformHome(engine);
  try {
    return await attack.run({ home, engine, folder, signal });
  } finally {
    await home.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}
