import type { Health, ReportContent } from '#protocol/delivery';

export interface Condition {
  readonly health: Health;
  readonly message: string;
}

const NOT_LOOKED: Condition = { health: 'Unknown', message: 'not checked yet' };

/** The last reports of a deployment. A report is not repeated until the platform sends an order again. */
export class StatusTracker {
  readonly #send: (revision: number, content: ReportContent) => void;
  readonly #reported = new Map<ReportContent['kind'], string>();
  #condition: (Condition & { readonly revision: number }) | undefined;

  constructor(send: (revision: number, content: ReportContent) => void) {
    this.#send = send;
  }

  /** As last reported. */
  of(revision: number): Condition {
    if (this.#condition?.revision !== revision) return NOT_LOOKED;
    const { health, message } = this.#condition;
    return { health, message };
  }

  report(revision: number, content: ReportContent): void {
    const text = JSON.stringify([revision, content]);
    if (this.#reported.get(content.kind) === text) return;
    this.#reported.set(content.kind, text);
    if (content.kind === 'health') this.#condition = { revision, health: content.health, message: content.message };
    // After a success, the same failure must be reported again.
    if (content.kind === 'applied' || content.kind === 'removed') this.#reported.delete('failed');
    this.#send(revision, content);
  }

  /** An empty drift list is reported only if drift was reported before. */
  drift(revision: number, objects: readonly string[]): void {
    if (objects.length > 0) return this.report(revision, { kind: 'drift', objects });
    if (!this.#reported.delete('drift')) return;
    this.#send(revision, { kind: 'drift', objects });
  }

  /** Reports everything again. */
  forget(): void {
    this.#reported.clear();
  }
}
