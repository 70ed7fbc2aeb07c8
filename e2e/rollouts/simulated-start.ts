import { dirname, join } from 'node:path';
import type { Engine } from '#kit/storage';
import type { PlatformHome, StartOptions } from '#testing/platform-process';

/** The product has simulated targets on SQLite only. */
const SERVE: Readonly<Record<Engine, StartOptions>> = {
  sqlite: { flags: ['--demo-fleet', '1'] },
  postgres: { program: new URL('../serve-simulated.ts', import.meta.url) },
};

/** How a platform with simulated targets is started in this home. One that stops in order makes the next starts quicker. */
export function simulatedStart({ data, database }: Pick<PlatformHome, 'data' | 'database'>): StartOptions {
  const environment = { NODE_COMPILE_CACHE: join(dirname(data), 'compiled') };
  return { ...SERVE[database === 'sqlite' ? 'sqlite' : 'postgres'], environment };
}
