import { DefaultLogger, type LogEntry, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { EngineLog } from '../engine-options.ts';

let installed = false;

/**
 * Temporal's native runtime exists once per process, with one logger: that of the first engine that runs. It lives as
 * long as there are workers and keeps the process alive meanwhile, so it is installed just before the first worker
 * starts.
 */
export function installRuntime(log: EngineLog | undefined): void {
  if (installed) return;
  installed = true;
  const logger = new DefaultLogger('INFO', (entry) => (log === undefined ? undefined : write(log, entry)));
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    // The engine is stopped by its own signal.
    shutdownSignals: [],
  });
}

function write(log: EngineLog, { level, message, meta = {} }: LogEntry): void {
  switch (level) {
    case 'TRACE':
    case 'DEBUG':
      return log.debug(meta, message);
    case 'INFO':
      return log.info(meta, message);
    case 'WARN':
      return log.warn(meta, message);
    case 'ERROR':
      return log.error(meta, message);
  }
}
