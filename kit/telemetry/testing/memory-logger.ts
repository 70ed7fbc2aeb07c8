import { createLogger, type Logger, type LogLevel } from '../logger.ts';

export interface MemoryLine {
  readonly level: LogLevel;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * A logger whose lines a test can look at. It is the real one, so what a test sees is what would be written: redacted,
 * serialised, with the fields of parents. Only the time is left out.
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
