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

/** In order of severity: the first that occurred is the exit code when several resources failed. */
const GRAVEST: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.failure,
  EXIT.timedOut,
  EXIT.waiting,
  EXIT.unavailable,
  EXIT.denied,
  EXIT.conflict,
  EXIT.notFound,
  EXIT.usage,
  EXIT.ok,
];

/** Errors of a platform have exit codes of their own; errors of `serve` do not. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  const isTold = error instanceof ClientError || error instanceof ConfigFileError;
  return isTold ? EXIT_BY_CATEGORY[error.entry.category] : EXIT.failure;
}

export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return GRAVEST.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/**
 * Known errors and errors of the operating system are shown as a sentence. Anything else is a bug and is shown with its
 * stack.
 */
export function explain(error: unknown): string {
  if (error instanceof FleetError || error instanceof UsageError) return error.message;
  if (error instanceof Error && 'syscall' in error) return error.message;
  return `internal error, please report it\n${error instanceof Error ? error.stack : String(error)}`;
}
