import { ConfigError } from '#kit/config';
import { type ErrorCategory, FleetError } from '#kit/std';
import { ClientError } from './client/client-error.ts';
import { EXIT, type ExitCode, UsageError } from './command.ts';
import { ConfigFileError } from './config-file/config-file-error.ts';

const EXIT_BY_CATEGORY: Readonly<Record<ErrorCategory, ExitCode>> = {
  invalid: EXIT.usage,
  unauthenticated: EXIT.denied,
  forbidden: EXIT.denied,
  'not-found': EXIT.notFound,
  conflict: EXIT.conflict,
  precondition: EXIT.failure,
  exhausted: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  timeout: EXIT.unavailable,
  internal: EXIT.failure,
};

/** The gravest first: what a script should hear of when several things went wrong. */
const GRAVEST: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.failure,
  EXIT.unavailable,
  EXIT.denied,
  EXIT.conflict,
  EXIT.notFound,
  EXIT.usage,
  EXIT.ok,
];

/** Scripts tell apart what a platform answered; what `serve` met is for people. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  const isTold = error instanceof ClientError || error instanceof ConfigFileError;
  return isTold ? EXIT_BY_CATEGORY[error.entry.category] : EXIT.failure;
}

export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return GRAVEST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/**
 * A failure that we know is a sentence, and so is what the operating system refuses. Anything else is our mistake, and
 * whoever mends it needs to see where.
 */
export function explain(error: unknown): string {
  if (error instanceof FleetError || error instanceof UsageError) return error.message;
  if (error instanceof Error && 'syscall' in error) return error.message;
  return `something happened that should not: please report it\n${error instanceof Error ? error.stack : String(error)}`;
}
