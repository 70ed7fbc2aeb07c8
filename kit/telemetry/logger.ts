import { type LoggerOptions as PinoOptions, pino } from 'pino';
import type { LogFields } from './log-keys.ts';
import { prettyLine } from './pretty-line.ts';
import { redactFields, redactText } from './redact.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Write = (fields: LogFields, message: string) => void;

/**
 * The logger that all other code uses. The message is constant and lower case; variable parts go into the fields.
 *
 * `error`: an operator must act. `warn`: handled, and the message says how. `info`: a change of state. `debug`:
 * everything else.
 */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** Returns a logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
}

export interface LogDestination {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: standard output. */
  readonly destination?: LogDestination;
  /** Human-readable lines for a terminal instead of JSON. */
  readonly pretty?: boolean;
}

/** Creates the root logger of a process. It writes one JSON object per line, without secrets: see `redactFields`. */
export function createLogger({ level, destination, pretty = false }: LoggerOptions): Logger {
  const options: PinoOptions = {
    level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    // Errors arrive here as `redactFields` wrote them; pino's own serializer would fold their causes into one text.
    serializers: { err: (err: unknown) => err },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  const out = destination ?? standardOutput();
  return over(pino(options, pretty ? { write: (line) => out.write(prettyLine(line)) } : out));
}

/**
 * DECISION: lines are written synchronously and not buffered, so that the last line before a crash is not lost. This
 * costs a few microseconds per line, and a stalled reader of the pipe stalls the process, as with any standard output.
 */
function standardOutput(): LogDestination {
  return pino.destination({ dest: 1, sync: true });
}

/**
 * DECISION: lines are redacted here and not by pino. Pino's `redact` needs every path spelled out, and its formatter
 * for child fields is not applied to grandchildren. All lines pass through here, so none escapes redaction.
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
