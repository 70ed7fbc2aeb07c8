import type { DeliveryReport, Inventory } from '#protocol/delivery';
import type { Reports } from '../application/ports.ts';

type Heard = DeliveryReport | ({ readonly kind: 'inventory' } & Inventory);

/** Records the reports of an agent, and lets a test wait for them. */
export class HeardReports implements Reports {
  readonly #all: Heard[] = [];
  readonly #waiting = new Set<() => void>();

  /** For reading: `applied 3`, `health 3 Available`. */
  get lines(): readonly string[] {
    return this.#all.map(lineOf);
  }

  clear(): void {
    this.#all.length = 0;
  }

  async report(reports: readonly DeliveryReport[]): Promise<void> {
    this.#take(reports);
  }

  async inventory(accounts: readonly Inventory[]): Promise<void> {
    this.#take(accounts.map((account) => ({ kind: 'inventory' as const, ...account })));
  }

  /** Waits for the first line that matches. */
  async until(pattern: RegExp | string, signal: AbortSignal): Promise<string> {
    const isLikeThis = (line: string): boolean => (typeof pattern === 'string' ? line === pattern : pattern.test(line));
    for (;;) {
      const found = this.lines.find(isLikeThis);
      if (found !== undefined) return found;
      if (signal.aborted) throw new Error(`no report matched ${pattern}: ${JSON.stringify(this.lines)}`);
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  #take(heard: readonly Heard[]): void {
    this.#all.push(...heard);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

function lineOf(heard: Heard): string {
  switch (heard.kind) {
    case 'applied':
    case 'removed':
      return `${heard.kind} ${heard.revision}`;
    case 'failed':
    case 'rejected':
      return `${heard.kind} ${heard.revision} ${heard.message}`;
    case 'health':
      return `health ${heard.revision} ${heard.health} ${heard.message}`.trim();
    case 'drift':
      return `drift ${heard.revision} ${heard.objects.join(' | ')}`.trim();
    case 'inventory':
      return `inventory ${heard.instance} ${heard.holdings.length}`;
  }
}
