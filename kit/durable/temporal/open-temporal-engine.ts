import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTemporalEngine, TemporalEngine, TemporalEngineOptions } from './engine-options.ts';
import { TemporalError } from './temporal-error.ts';

/**
 * Loads the engine together with Temporal's SDK, which is large and not part of the main install; then connects.
 *
 * DECISION: this file does not reference the SDK, or modules that import it, in a way that a compiler could follow. The
 * rest of the repository is checked, bundled and run without it.
 */
export async function openTemporalEngine(options: TemporalEngineOptions, signal: AbortSignal): Promise<TemporalEngine> {
  const folder = import.meta.dirname;
  if (!existsSync(join(folder, 'node_modules', '@temporalio', 'worker'))) {
    // Only a checkout has the lockfile and the sources of the engine beside this file.
    const act = existsSync(join(folder, 'package-lock.json'))
      ? `Install it with: npm ci --prefix ${folder}`
      : 'The published package does not have it yet. Run the platform from a checkout, after: npm ci --prefix kit/durable/temporal';
    throw new TemporalError(
      'TEMPORAL_NOT_INSTALLED',
      `load Temporal's SDK: it is not part of the main install. ${act}`,
    );
  }
  const engine = new URL('./host/temporal-engine.ts', import.meta.url).href;
  const { createTemporalEngine } = (await import(engine)) as { createTemporalEngine: CreateTemporalEngine };
  return await createTemporalEngine(options, signal);
}
