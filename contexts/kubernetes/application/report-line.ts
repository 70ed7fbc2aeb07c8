import type { Report } from '../domain/order.ts';
import type { Reports } from './ports.ts';

export interface LineOptions {
  readonly reports: Reports;
  /** It was not heard, and is said again once this resolves. */
  readonly onTrouble: (error: unknown) => Promise<void>;
}

/**
 * What is to be said of one cluster, until somebody has heard it. Of each deployment and kind the last word counts, so that a
 * platform that is away for a week does not make it long.
 */
export class ReportLine {
  readonly #unsaid = new Map<string, Report>();
  #wake: (() => void) | undefined;

  say(report: Report): void {
    const key = `${report.deployment} ${report.kind}`;
    // What is said again is said after all that was said meanwhile.
    this.#unsaid.delete(key);
    this.#unsaid.set(key, report);
    this.#wake?.();
  }

  /** Until the signal aborts. */
  async run({ reports, onTrouble }: LineOptions, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#unsaid.size === 0) await this.#more(signal);
      const batch = [...this.#unsaid];
      if (batch.length === 0) continue;
      try {
        await reports.report(
          batch.map(([, report]) => report),
          signal,
        );
        for (const [key, report] of batch) if (this.#unsaid.get(key) === report) this.#unsaid.delete(key);
      } catch (error) {
        if (!signal.aborted) await onTrouble(error);
      }
    }
  }

  async #more(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = (): void => resolve();
    this.#wake = resolve;
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener('abort', onAbort);
    this.#wake = undefined;
  }
}
