import { type Io, UsageError } from '../command.ts';

export interface Question {
  /** The pending action, as a sentence. */
  readonly what: string;
  /** Whether the user agreed beforehand with `--yes`. */
  readonly isAgreed: boolean;
}

/** Asks whether to continue. Without a terminal, `--yes` is required: a script must not do harm by default. */
export async function confirm(io: Io, { what, isAgreed }: Question, signal: AbortSignal): Promise<boolean> {
  if (isAgreed) return true;
  if (io.ask === undefined) throw new UsageError(`${what} There is no terminal to confirm this: add --yes`);
  const answer = await io.ask(`${what} Continue? [y/N] `, signal);
  return /^y(es)?$/i.test(answer.trim());
}
