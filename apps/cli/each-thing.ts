import { EXIT, type ExitCode, type Io } from './command.ts';
import { exitCodeOf, explain, worstOf } from './exit-code-of.ts';

export interface NamedTask {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/**
 * Processes one resource after the other. A failure is reported and does not stop the others; the worst one determines
 * the exit code.
 */
export async function eachThing(tasks: readonly NamedTask[], io: Io, signal: AbortSignal): Promise<ExitCode> {
  const codes: ExitCode[] = [EXIT.ok];
  for (const { name, run } of tasks) {
    try {
      await run();
    } catch (error) {
      if (signal.aborted || tasks.length === 1) throw error;
      io.err(`${name}: ${explain(error)}\n`);
      codes.push(exitCodeOf(error));
    }
  }
  return worstOf(codes);
}
