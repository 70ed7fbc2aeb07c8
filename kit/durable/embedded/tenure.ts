import type { Clock } from '#kit/std';
import type { ExecutorFact } from './executor-fact.ts';
import { FencedOut } from './turn-writer.ts';

export interface TenureDeps {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly onFact: (fact: ExecutorFact) => void;
}

/**
 * Whether other processes still have to regard this one as the executor. A fault of the database interrupts execution,
 * but while the lease cannot be written no other process takes over either: what this process holds beside workflows,
 * such as connections, need not be given up. It ends once another process has the lease, or when the lease could not
 * even be read for as long as it lasts: then another process may have it.
 */
export class Tenure {
  readonly #deps: TenureDeps;
  #fence: number | undefined;
  #confirmedAt: number | undefined;

  constructor(deps: TenureDeps) {
    this.#deps = deps;
  }

  taken(fence: number): void {
    this.#fence = fence;
    this.#confirmedAt = undefined;
    this.#deps.onFact({ kind: 'leading', fence });
  }

  /** The fence that the database shows. */
  read(fence: number | undefined): void {
    if (this.#fence === undefined) return;
    if (fence === this.#fence) this.#confirmedAt = this.#deps.clock.now();
    else this.#end();
  }

  interrupted(error: unknown): void {
    if (this.#fence === undefined) return;
    const now = this.#deps.clock.now();
    this.#confirmedAt ??= now;
    if (error instanceof FencedOut || now - this.#confirmedAt >= this.#deps.leaseMs) this.#end();
  }

  #end(): void {
    this.#fence = undefined;
    this.#deps.onFact({ kind: 'standing-by' });
  }
}
