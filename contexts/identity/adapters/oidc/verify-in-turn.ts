import { hash } from 'node:crypto';
import { callerNetwork, Semaphore } from '#kit/std';

/** Concurrent signature verifications per network address. */
export const VERIFIED_AT_ONCE = 4;
const REMEMBERED = 10_000;

/**
 * Verifying a signature takes far longer than looking up a token. Verifications of one network address run a few at a
 * time, so that invalid tokens cannot use up the process. A token that was valid before skips the queue, but is still
 * verified.
 */
export class VerifyInTurn {
  readonly #byNetwork = new Map<string, Semaphore>();
  readonly #good = new Set<string>();

  async run<T>(
    { token, address }: { readonly token: string; readonly address: string },
    verify: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const key = hash('sha256', token, 'base64');
    const isGood = this.#good.delete(key);
    const verified = isGood ? await verify() : await this.#limited(callerNetwork(address), verify, signal);
    if (verified === undefined) return undefined;
    this.#good.add(key);
    const [oldest] = this.#good.size > REMEMBERED ? this.#good : [];
    if (oldest !== undefined) this.#good.delete(oldest);
    return verified;
  }

  async #limited<T>(network: string, verify: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const semaphore = this.#byNetwork.get(network) ?? new Semaphore(VERIFIED_AT_ONCE);
    this.#byNetwork.set(network, semaphore);
    try {
      return await semaphore.run(verify, signal);
    } finally {
      if (semaphore.isIdle) this.#byNetwork.delete(network);
    }
  }
}
