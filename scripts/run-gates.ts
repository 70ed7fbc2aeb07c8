import type { Gate } from './gates.ts';
import { type Outcome, runCommand } from './run-command.ts';

export interface RunGatesOptions {
  readonly gates: readonly Gate[];
  readonly cwd: string;
  readonly concurrency: number;
  readonly print: (text: string) => void;
}

interface Verdict {
  readonly gate: Gate;
  readonly outcome: Outcome;
}

/**
 * Runs every gate, a few at a time, and prints one line for each, followed by the output of those that failed. Returns
 * true if all passed.
 */
export async function runGates(options: RunGatesOptions, signal: AbortSignal): Promise<boolean> {
  const waiting = [...options.gates];
  const verdicts: Verdict[] = [];
  const worker = async (): Promise<void> => {
    for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift()) {
      const outcome = await runCommand(gate.command, { cwd: options.cwd }, signal);
      options.print(line(gate, outcome));
      verdicts.push({ gate, outcome });
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));

  const closed = verdicts.filter(({ outcome }) => outcome.code !== 0);
  for (const { gate, outcome } of closed) {
    options.print(
      `\n── ${gate.name}: ${gate.command.join(' ')} ── exit code ${outcome.code}\n${outcome.output.trim()}`,
    );
  }
  return closed.length === 0;
}

function line(gate: Gate, outcome: Outcome): string {
  const mark = outcome.code === 0 ? '✔' : '✖';
  return `${mark} ${gate.name.padEnd(12)}${(outcome.ms / 1000).toFixed(1).padStart(5)} s`;
}
