import type { Sleep } from '#kit/std';
import type { AgentReports } from '../../application/ports.ts';
import { DeliveryError } from '../../domain/delivery-error.ts';
import type { DeliveryReport, Inventory, TargetId } from '../../domain/delivery-order.ts';
import { decodeSaid, type Said } from './status-codec.ts';

export interface StatusIntakeDeps {
  readonly reports: AgentReports;
  readonly sleep: Sleep;
  /** It will be tried again. */
  readonly onTrouble: (error: unknown) => void;
}

interface Heard {
  readonly said: Said;
  readonly taken: () => void;
}

const AGAIN_MS = 1_000;
const BATCH = 1_000;

/**
 * What agents say on their channels, handed on in batches and in order. It is acknowledged once it was taken over, so
 * that the windows of the channels bound what waits here.
 */
export class StatusIntake {
  readonly #deps: StatusIntakeDeps;
  #heard: Heard[] = [];
  #wake: (() => void) | undefined;

  constructor(deps: StatusIntakeDeps) {
    this.#deps = deps;
  }

  /** `taken` is called when somebody else is responsible for it. Throws for what cannot be read. */
  take(target: TargetId, payload: Uint8Array, taken: () => void): void {
    const said = decode(payload, target);
    // A word of a later release: nobody here can make anything of it.
    if (said === undefined) return taken();
    this.#heard.push({ said, taken });
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
    while (!signal.aborted) {
      try {
        await this.#hand(run, signal);
        for (const { taken } of run) taken();
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onTrouble(error);
        await this.#deps.sleep(AGAIN_MS, signal).catch(() => {});
      }
    }
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

/** Neighbours of one kind: what is told together keeps its order. */
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
    throw new DeliveryError('BAD_MESSAGE', 'What an agent reported cannot be read.', { cause });
  }
}
