import type { Engine } from '#kit/storage';
import { freshDatabase } from '#testing/databases';
import type { KillSubject } from './kill-case.ts';

/** Nobody is left to hold the lease of a killed process; a test that waits for it takes long. */
const LEASE_MS = 150;

export const EMBEDDED_EXECUTOR = new URL('./embedded-executor.ts', import.meta.url);

export function embeddedSubject(engine: Engine): KillSubject {
  return {
    program: EMBEDDED_EXECUTOR,
    tellsWrites: true,
    busyMs: 30,
    randomKills: 20,
    fresh: async () => {
      const database = await freshDatabase(engine);
      const where = database.engine === 'sqlite' ? { file: database.file } : { url: database.url };
      return { place: { engine, leaseMs: LEASE_MS, ...where }, dispose: () => database.dispose() };
    },
  };
}
