import { backoffDelay, type Clock, type Random } from '#kit/std';

/** What was tried and refused, in the words of the server. */
interface Attempt {
  readonly hash: string;
  readonly count: number;
  readonly notBefore: number;
  readonly why: string;
}

const BACKOFF = { baseMs: 500, capMs: 300_000 };

/**
 * When to try again what a cluster refused. For each resource by itself, so that one which is refused time and again neither
 * holds up its neighbours nor is tried whenever they are. Content that changed begins anew.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #attempts = new Map<string, Map<string, Attempt>>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Why it is not tried now, and for how long not; undefined when it is time. */
  waiting(cluster: string, what: string, hash: string): { readonly why: string; readonly ms: number } | undefined {
    const attempt = this.#attempts.get(cluster)?.get(what);
    if (attempt === undefined || attempt.hash !== hash) return undefined;
    const ms = attempt.notBefore - this.#clock.now();
    return ms > 0 ? { why: attempt.why, ms } : undefined;
  }

  /** How long to wait before the next. */
  failed(cluster: string, what: string, { hash, why }: { readonly hash: string; readonly why: string }): number {
    const ofCluster = this.#attempts.get(cluster) ?? new Map<string, Attempt>();
    this.#attempts.set(cluster, ofCluster);
    const before = ofCluster.get(what);
    const count = before?.hash === hash ? before.count + 1 : 1;
    // Never at once: the server has just said no.
    const ms = BACKOFF.baseMs / 5 + backoffDelay(BACKOFF, count, this.#random);
    ofCluster.set(what, { hash, count, why, notBefore: this.#clock.now() + ms });
    return ms;
  }

  succeeded(cluster: string, what: string): void {
    this.#attempts.get(cluster)?.delete(what);
  }

  /** It is another cluster now, or can be reached again. */
  forget(cluster: string): void {
    this.#attempts.delete(cluster);
  }
}
