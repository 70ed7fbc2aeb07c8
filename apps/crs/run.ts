import { printHostPort } from '#kit/config';
import { runGroups } from '#kit/reconcile';
import { processLog, type Surroundings } from '#runtime/process/process-command';
import type { CrsConfig } from './config.ts';
import { CrsProcessError } from './crs-process-error.ts';
import { wireCrs } from './wiring.ts';

export interface RunOptions extends Surroundings {
  readonly config: CrsConfig;
}

/** Runs until the signal aborts. Running work is finished, and the lease is released. */
export async function runCrs({ config, version, environment, err }: RunOptions, signal: AbortSignal): Promise<void> {
  const log = processLog(config, err);
  const crs = await wireCrs({ config, version, environment, log }, signal);
  try {
    log.info({ version, address: crs.listening.map(printHostPort) }, 'serving');
    await runGroups(crs.groups, signal, { log });
  } catch (error) {
    throw saidOf(error);
  } finally {
    await crs.close();
  }
  log.info({}, 'stopped');
}

/** Finds the error that says what to do, however deeply it is nested, because that is what users are shown. */
function saidOf(error: unknown): unknown {
  const causes = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  for (let cause of causes) {
    for (; cause instanceof Error; cause = cause.cause) if (cause instanceof CrsProcessError) return cause;
  }
  return error;
}
