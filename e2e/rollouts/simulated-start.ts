import { pathToFileURL } from 'node:url';
import type { Engine } from '#kit/storage';
import type { PlatformHome, StartOptions } from '#testing/platform-process';
import { SIMULATED } from '#testing/product';

/** The product offers simulated targets on SQLite only. */
const SERVE: Readonly<Record<Engine, StartOptions>> = {
  sqlite: { flags: ['--demo-fleet', '1'] },
  postgres: { program: pathToFileURL(SIMULATED) },
};

/** How to start a platform with simulated targets in this home. */
export function simulatedStart({ database }: Pick<PlatformHome, 'database'>): StartOptions {
  return SERVE[database === 'sqlite' ? 'sqlite' : 'postgres'];
}
