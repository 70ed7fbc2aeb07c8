import { createLogger, type Logger, type LogLevel } from '../logger.ts';

export interface MemoryLine {
  readonly level: LogLevel;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * The real logger, writing into an array: tests see lines exactly as they would be written (redacted, serialized, with
 * the fields of parents), without the time.
 */
export function memoryLogger(level: LogLevel = 'debug'): {
  readonly log: Logger;
  readonly lines: readonly MemoryLine[];
} {
  const lines: MemoryLine[] = [];
  const write = (text: string): void => {
    const { time: _, ...line } = JSON.parse(text) as MemoryLine;
    lines.push(line);
  };
  return { log: createLogger({ level, destination: { write } }), lines };
}
