import { handOver, type Sleep } from '#kit/std';
import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { AgentReports } from '../../application/ports.ts';
import { DeliveryError } from '../../domain/delivery-error.ts';
import { decodeSaid, type Said } from './status-codec.ts';

export interface StatusIntakeDeps {
  readonly reports: AgentReports;
  readonly sleep: Sleep;
  /** A failure that will be retried. */
  readonly onTrouble: (error: unknown) => void;
  /** The message can never be processed, and was skipped. It delayed no other message. */
  readonly setAside: (message: StatusMessage, error: unknown) => void;
}

export interface StatusMessage {
  readonly target: TargetId;
  readonly payload: Uint8Array;
}

interface Heard extends StatusMessage {
  readonly said: Said;
  readonly taken: () => void;
}

const AGAIN_MS = 1_000;
const BATCH = 1_000;

/**
 * Passes on the messages of agents, in batches and in order. A message is acknowledged once it was taken over, so that
 * the windows of the channels bound the backlog here.
 */
export class StatusIntake {
  readonly #deps: StatusIntakeDeps;
  #heard: Heard[] = [];
  #wake: (() => void) | undefined;

  constructor(deps: StatusIntakeDeps) {
    this.#deps = deps;
  }

  /** `taken` is called once the message was taken over. A message that cannot be decoded is set aside. */
  take(target: TargetId, payload: Uint8Array, taken: () => void): void {
    let said: Said | undefined;
    try {
      said = decode(payload, target);
    } catch (error) {
      this.#deps.setAside({ target, payload }, error);
    }
    // Set aside, or a message of a later release: nothing to do.
    if (said === undefined) return taken();
    this.#heard.push({ said, taken, target, payload });
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#heard.length === 0) await this.#more(signal);
      const batch = this.#heard.slice(0, BATCH);
      this.#heard = this.#heard.slice(BATCH);
      for (const run of runsOf(batch)) await this.#tell(run, signal);
    }
  }

  async #more(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    this.#wake = undefined;
  }

  async #tell(run: readonly Heard[], signal: AbortSignal): Promise<void> {
    const { sleep, onTrouble, setAside } = this.#deps;
    await handOver(
      run,
      {
        hand: async (some) => {
          await this.#hand(some, signal);
          for (const { taken } of some) taken();
        },
        setAside: (heard, error) => {
          setAside(heard, error);
          heard.taken();
        },
        pause: async (error) => {
          onTrouble(error);
          await sleep(AGAIN_MS, signal).catch(() => {});
        },
      },
      signal,
    );
  }

  async #hand(run: readonly Heard[], signal: AbortSignal): Promise<void> {
    const reports: DeliveryReport[] = [];
    const inventories: Inventory[] = [];
    for (const { said } of run) {
      if (said.kind === 'report') reports.push(said.report);
      else inventories.push(said.inventory);
    }
    if (inventories.length > 0) await this.#deps.reports.inventory(inventories, signal);
    if (reports.length > 0) await this.#deps.reports.report(reports, signal);
  }
}

/** Consecutive messages of one kind, so that batches keep the order. */
function runsOf(batch: readonly Heard[]): Heard[][] {
  const runs: Heard[][] = [];
  for (const heard of batch) {
    const last = runs.at(-1);
    if (last?.[0]?.said.kind === heard.said.kind) last.push(heard);
    else runs.push([heard]);
  }
  return runs;
}

function decode(payload: Uint8Array, target: TargetId): Said | undefined {
  try {
    return decodeSaid(payload, target);
  } catch (cause) {
    throw new DeliveryError('BAD_MESSAGE', 'The report of an agent cannot be decoded.', { cause });
  }
}
