import type { Engine } from '#kit/storage';
import { freshDatabase } from '#testing/databases';
import type { KillSubject } from './kill-case.ts';

/** Short, since tests have to wait for the abandoned lease of each killed process. */
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
