import type { SeededRandom } from '#testing/seeded';
import { ExecutorProcess, type ExecutorProcessOptions } from './executor-process.ts';
import type { WorkflowOutcome } from './executor-protocol.ts';
import type { WorkloadSignal } from './workload.ts';

/** Maximum pause between two signals: short enough for a few in every life, at varying moments. */
const PACE_MS = 40;

export interface LifeOptions extends ExecutorProcessOptions {
  /** Signals that are not yet known to have arrived; acknowledged ones are removed. */
  readonly signals: WorkloadSignal[];
  readonly random: SeededRandom;
}

/** One life of the executor, from its start to its end: the outcomes, or `undefined` if it was killed before. */
export async function liveOnce(
  options: LifeOptions,
  signal: AbortSignal,
): Promise<readonly WorkflowOutcome[] | undefined> {
  signal.throwIfAborted();
  const executor = new ExecutorProcess(options);
  const end = (): void => executor.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  const timers: NodeJS.Timeout[] = [];
  try {
    const outcomes = await attend(executor, options, timers);
    signal.throwIfAborted();
    return outcomes;
  } finally {
    signal.removeEventListener('abort', end);
    for (const timer of timers) clearTimeout(timer);
    end();
  }
}

/** Sends each signal some time after the previous one arrived, and ends the life when it is time. */
async function attend(
  executor: ExecutorProcess,
  { orders, signals, random }: LifeOptions,
  timers: NodeJS.Timeout[],
): Promise<readonly WorkflowOutcome[] | undefined> {
  const later = (ms: number, what: () => void): unknown => timers.push(setTimeout(what, ms));
  let outcomes: readonly WorkflowOutcome[] | undefined;
  for await (const news of executor.news()) {
    if (news.kind === 'done') outcomes = news.outcomes;
    if (news.kind === 'sent' && signals[0]?.signalId === news.signalId) signals.shift();
    if (news.kind === 'ready' && orders.death.at === 'time') later(orders.death.ms, () => executor.kill('SIGKILL'));
    if (signals[0] !== undefined) later(random.integer(0, PACE_MS), () => signals[0] && executor.send(signals[0]));
  }
  return outcomes;
}
