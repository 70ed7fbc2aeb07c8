import { freshNamespace } from '#testing/temporal/test-namespace';
import type { KillSubject } from './kill-case.ts';

/** `undefined` if no Temporal server is available; the reason has been printed. */
export async function temporalSubject(): Promise<KillSubject | undefined> {
  if ((await freshNamespace()) === undefined) return undefined;
  return {
    program: new URL('./temporal-executor.ts', import.meta.url),
    tellsWrites: false,
    busyMs: 1_000,
    randomKills: 5,
    fresh: async () => {
      const place = await freshNamespace();
      if (place === undefined) throw new Error('the Temporal server is gone');
      // The namespace is removed with the server.
      return { place: { ...place }, dispose: async () => {} };
    },
  };
}
