import type { Health, ReportContent } from '#protocol/delivery';

export interface Condition {
  readonly health: Health;
  readonly message: string;
}

const NOT_LOOKED: Condition = { health: 'Unknown', message: 'not checked yet' };

/** The last reports of a deployment. A report is not repeated until the platform sends an order again. */
export class StatusTracker {
  readonly #say: (revision: number, said: ReportContent) => void;
  readonly #told = new Map<ReportContent['kind'], string>();
  #condition: (Condition & { readonly revision: number }) | undefined;

  constructor(say: (revision: number, said: ReportContent) => void) {
    this.#say = say;
  }

  /** As last reported. */
  of(revision: number): Condition {
    if (this.#condition?.revision !== revision) return NOT_LOOKED;
    const { health, message } = this.#condition;
    return { health, message };
  }

  say(revision: number, said: ReportContent): void {
    const text = JSON.stringify([revision, said]);
    if (this.#told.get(said.kind) === text) return;
    this.#told.set(said.kind, text);
    if (said.kind === 'health') this.#condition = { revision, health: said.health, message: said.message };
    // After a success, the same failure must be reported again.
    if (said.kind === 'applied' || said.kind === 'removed') this.#told.delete('failed');
    this.#say(revision, said);
  }

  /** An empty drift list is reported only if drift was reported before. */
  drift(revision: number, objects: readonly string[]): void {
    if (objects.length > 0) return this.report(revision, { kind: 'drift', objects });
    if (!this.#told.delete('drift')) return;
    this.#say(revision, { kind: 'drift', objects });
  }

  /** Reports everything again. */
  forget(): void {
    this.#told.clear();
  }
}
