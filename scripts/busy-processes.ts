import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

export interface BusyProcesses {
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/**
 * Computes without end, and regularly checks whether its input has ended: the kernel closes it with the process that
 * started this one, however that ends.
 */
const BUSY = `
process.stdin.on('end', () => process.exit()).on('error', () => process.exit()).resume();
(function compute() {
  for (let step = 0, sum = 0; step < 1e7; step += 1) sum = (sum * 31 + step) % 1000003;
  setImmediate(compute);
})();
`;

/** Starts processes that each use a full core, until they are stopped or this process is gone. */
export function startBusyProcesses(count: number): BusyProcesses {
  const children = Array.from({ length: count }, startBusyProcess);
  return {
    pids: children.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(children.map(stopped));
    },
  };
}

type BusyChild = ChildProcessByStdio<Writable, null, null>;

function startBusyProcess(): BusyChild {
  const child = spawn(process.execPath, ['--eval', BUSY], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.on('error', () => {});
  return child;
}

async function stopped(child: BusyChild): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
