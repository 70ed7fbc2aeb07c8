import { backoffDelay, type Clock, type Random } from '#kit/std';

/** A refused attempt, with the server's message. */
interface Attempt {
  readonly hash: string;
  readonly count: number;
  readonly notBefore: number;
  readonly why: string;
}

const BACKOFF = { baseMs: 500, capMs: 300_000 };

/**
 * Backoff for what a cluster refused. Each resource has its own, so that a resource that keeps failing neither delays
 * others nor is retried whenever they change. Changed content starts over.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #attempts = new Map<string, Map<string, Attempt>>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Why it is not tried now, and how long to wait; undefined if it is due. */
  waiting(cluster: string, what: string, hash: string): { readonly why: string; readonly ms: number } | undefined {
    const attempt = this.#attempts.get(cluster)?.get(what);
    if (attempt === undefined || attempt.hash !== hash) return undefined;
    const ms = attempt.notBefore - this.#clock.now();
    return ms > 0 ? { why: attempt.why, ms } : undefined;
  }

  /** Returns how long to wait before the next attempt. */
  failed(cluster: string, what: string, { hash, why }: { readonly hash: string; readonly why: string }): number {
    const ofCluster = this.#attempts.get(cluster) ?? new Map<string, Attempt>();
    this.#attempts.set(cluster, ofCluster);
    const before = ofCluster.get(what);
    const count = before?.hash === hash ? before.count + 1 : 1;
    // Never immediately, because the server has just refused.
    const ms = BACKOFF.baseMs / 5 + backoffDelay(BACKOFF, count, this.#random);
    ofCluster.set(what, { hash, count, why, notBefore: this.#clock.now() + ms });
    return ms;
  }

  succeeded(cluster: string, what: string): void {
    this.#attempts.get(cluster)?.delete(what);
  }

  /** The cluster is a different one, or is reachable again. */
  forget(cluster: string): void {
    this.#attempts.delete(cluster);
  }
}
