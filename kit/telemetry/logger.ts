import { type LoggerOptions as PinoOptions, pino } from 'pino';
import type { LogFields } from './log-keys.ts';
import { prettyLine } from './pretty-line.ts';
import { redactFields, redactText } from './redact.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = (fields: LogFields, message: string) => void;

/**
 * What the rest of the code logs with. The message is constant and lower case; what varies goes into the fields.
 *
 * `error`: someone must act. `warn`: handled, and the message says how. `info`: a state was crossed. `debug`: the rest.
 */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A logger that puts these fields on every line of its own. */
  child(fields: LogFields): Logger;
}

export interface LogDestination {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Standard output unless told otherwise. */
  readonly destination?: LogDestination;
  /** Lines for people at a terminal instead of JSON. */
  readonly pretty?: boolean;
}

/** The root of all loggers of a process. Lines are JSON, one object each, and hold no secret: see `redactFields`. */
export function createLogger({ level, destination, pretty = false }: LoggerOptions): Logger {
  const options: PinoOptions = {
    level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    // Errors come here as `redactFields` wrote them; pino's own serialiser would fold their causes into one text.
    serializers: { err: (err: unknown) => err },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  const out = destination ?? standardOutput();
  return over(pino(options, pretty ? { write: (line) => out.write(prettyLine(line)) } : out));
}

/**
 * DECISION: written at once and not gathered, so that the last line before a crash is there to be read. It costs some
 * microseconds a line, and a reader of the pipe that stalls stalls us, as with any standard output.
 */
function standardOutput(): LogDestination {
  return pino.destination({ dest: 1, sync: true });
}

/**
 * DECISION: lines are redacted here and not by pino. Its `redact` needs every path spelled out, and its formatter for
 * the fields of children is not applied to grandchildren; this is the only door to it, so nothing passes unseen.
 */
function over(lines: pino.Logger): Logger {
  const at =
    (level: Exclude<LogLevel, 'silent'>): Write =>
    (fields, message) => {
      if (lines.isLevelEnabled(level)) lines[level](redactFields(fields), redactText(message));
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => over(lines.child(redactFields(fields))),
  };
}
