import type { Health, ReportContent } from '#protocol/delivery';

export interface Condition {
  readonly health: Health;
  readonly message: string;
}

const NOT_LOOKED: Condition = { health: 'Unknown', message: 'nobody has looked at it yet' };

/** What was last said of a deployment. The same is not said twice, unless somebody asks again. */
export class StatusBook {
  readonly #say: (revision: number, said: ReportContent) => void;
  readonly #told = new Map<ReportContent['kind'], string>();
  #condition: (Condition & { readonly revision: number }) | undefined;

  constructor(say: (revision: number, said: ReportContent) => void) {
    this.#say = say;
  }

  /** As it was last said to be. */
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
    // After it went well, the same failure is news.
    if (said.kind === 'applied' || said.kind === 'removed') this.#told.delete('failed');
    this.#say(revision, said);
  }

  /** Where nothing ever differed there is nothing to say. */
  drift(revision: number, objects: readonly string[]): void {
    if (objects.length > 0) return this.say(revision, { kind: 'drift', objects });
    if (!this.#told.delete('drift')) return;
    this.#say(revision, { kind: 'drift', objects });
  }

  /** All is said again. */
  forget(): void {
    this.#told.clear();
  }
}
