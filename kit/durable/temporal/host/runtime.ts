import { DefaultLogger, type LogEntry, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import type { EngineLog } from '../engine-options.ts';

let installed = false;

/**
 * Temporal's native part lives once in a process, with one logger: that of the first engine that runs. It comes and goes
 * with the workers, and keeps the process alive meanwhile, so that it is set up just before the first of them.
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
    // Whoever runs the engine is told to stop by its signal.
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
