import { type Io, UsageError } from '../command.ts';

export interface Question {
  /** What is about to happen, as a sentence. */
  readonly what: string;
  /** Whether it was agreed to beforehand, with `--yes`. */
  readonly isAgreed: boolean;
}

/** Whether to go on. Where nobody could answer, it has to be said beforehand: a script must not do harm by default. */
export async function confirm(io: Io, { what, isAgreed }: Question, signal: AbortSignal): Promise<boolean> {
  if (isAgreed) return true;
  if (io.ask === undefined) throw new UsageError(`${what} Nobody is here to agree to it: add --yes`);
  const answer = await io.ask(`${what} Go on? [y/N] `, signal);
  return /^y(es)?$/i.test(answer.trim());
}
