import { outsideOfNpm } from '../../scripts/outside-of-npm.ts';
import { ROOT } from '../../scripts/repository.ts';
import { runCommand } from '../../scripts/run-command.ts';
import { prepareWorktree } from '../../scripts/worktree.ts';
import type { Figure } from '../figure.ts';
import { type Comparison, compareRounds, type Round } from './compare-rounds.ts';

export interface Beside {
  readonly bench: string;
  readonly ref: string;
  readonly rounds: number;
  /** Arguments for both sides: `--quick`. */
  readonly args: readonly string[];
  log(line: string): void;
}

export interface BesideResult {
  readonly commit: string;
  readonly comparisons: readonly Comparison[];
}

/** Runs the bench of this checkout and that of another version alternately, each with its own code. */
export async function runBeside(beside: Beside, signal: AbortSignal): Promise<BesideResult> {
  const { ref, rounds } = beside;
  const { folder, commit } = await prepareWorktree(ref, 'bench', signal);
  beside.log(`beside ${ref} (${commit.slice(0, 12)}) in ${folder}, ${rounds} rounds`);
  const done: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    // They take turns at going first: the second one finds a warmer machine.
    const figures = { ours: [] as readonly Figure[], theirs: [] as readonly Figure[] };
    for (const whose of round % 2 === 0 ? (['theirs', 'ours'] as const) : (['ours', 'theirs'] as const)) {
      const begun = performance.now();
      figures[whose] = await runIn(whose === 'ours' ? ROOT : folder, beside, signal);
      const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
      beside.log(`round ${round + 1}: ${whose === 'ours' ? 'this checkout' : ref} took ${seconds} s`);
    }
    done.push(figures);
  }
  return { commit, comparisons: compareRounds(done) };
}

async function runIn(folder: string, { bench, ref, args }: Beside, signal: AbortSignal): Promise<readonly Figure[]> {
  const command = ['npm', 'run', '--silent', 'bench', '--', bench, ...args];
  const { code, output } = await runCommand(command, { cwd: folder, env: outsideOfNpm(process.env) }, signal);
  if (code === 2 && folder !== ROOT) throw new Error(`no bench ${bench} at ${ref}: nothing to compare with`);
  const figures = code === 0 ? figuresIn(output) : undefined;
  if (figures === undefined) throw new Error(`bench ${bench} in ${folder}: exit code ${code}\n${output}`);
  return figures;
}

/** The last line that is a JSON object. */
function figuresIn(output: string): readonly Figure[] | undefined {
  const last = output.split('\n').findLast((line) => line.startsWith('{"bench":'));
  return last === undefined ? undefined : (JSON.parse(last) as { readonly figures: readonly Figure[] }).figures;
}
