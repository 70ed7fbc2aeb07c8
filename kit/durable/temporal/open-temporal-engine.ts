import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../std/index.ts';
import { DurableError } from '../durable-error.ts';
import type {
  CreatedEngineOptions,
  CreateTemporalEngine,
  TemporalEngine,
  TemporalEngineOptions,
} from './engine-options.ts';
import { findPublishedEngine } from './published-engine.ts';
import { TemporalError } from './temporal-error.ts';

/**
 * Loads the engine together with Temporal's SDK, which is large and not part of the main install; then connects. In a
 * checkout the engine is beside this file, and the SDK is installed there; the published engine is a package of its own.
 *
 * DECISION: this file does not reference the SDK, or modules that import it, in a way that a compiler could follow. The
 * rest of the repository is checked, bundled and run without it.
 */
export async function openTemporalEngine(options: TemporalEngineOptions, signal: AbortSignal): Promise<TemporalEngine> {
  const engine = new URL('./host/temporal-engine.ts', import.meta.url);
  return existsSync(engine) ? await openFromSources(engine, options, signal) : await openPublished(options, signal);
}

async function openFromSources(
  engine: URL,
  options: TemporalEngineOptions,
  signal: AbortSignal,
): Promise<TemporalEngine> {
  const folder = import.meta.dirname;
  if (!existsSync(join(folder, 'node_modules', '@temporalio', 'worker'))) {
    throw notInstalled(`npm ci --prefix ${folder}`);
  }
  const { createTemporalEngine } = (await import(engine.href)) as { createTemporalEngine: CreateTemporalEngine };
  return await createTemporalEngine(options, signal);
}

async function openPublished(options: TemporalEngineOptions, signal: AbortSignal): Promise<TemporalEngine> {
  const found = await findPublishedEngine(import.meta.dirname);
  if ('install' in found) throw notInstalled(found.install);
  const missing = options.registry.workflows.filter(({ name }) => !found.engine.workflows.includes(name));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new TemporalError(
      'WORKFLOWS_NOT_BUNDLED',
      `run the workflows ${names}: fleetshift-temporal does not have them`,
    );
  }
  // Without these classes the engine would have its own, and no error of it would be known here.
  const { createTemporalEngine } = await found.engine.load({ FleetError, DurableError, TemporalError });
  const published: CreatedEngineOptions = { ...options, workflowBundle: found.engine.workflowBundle };
  return await createTemporalEngine(published, signal);
}

function notInstalled(command: string): TemporalError {
  const why = "load Temporal's SDK: it is not part of the main install";
  return new TemporalError('TEMPORAL_NOT_INSTALLED', `${why}. Install it with: ${command}`);
}
