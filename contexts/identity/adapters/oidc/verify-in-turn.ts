import { hash } from 'node:crypto';
import { callerNetwork } from '#kit/std';

/** Concurrent signature verifications per network address. */
export const VERIFIED_AT_ONCE = 4;
const REMEMBERED = 10_000;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Verifying a signature takes far longer than looking up a token. Verifications of one network address run a few at a
 * time, so that invalid tokens cannot use up the process. A token that was valid before skips the queue, but is still
 * verified.
 */
export class VerifyInTurn {
  readonly #byNetwork = new Map<string, Turns>();
  readonly #good = new Set<string>();

  async run<T>(
    { token, address }: { readonly token: string; readonly address: string },
    verify: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const key = hash('sha256', token, 'base64');
    const isGood = this.#good.delete(key);
    const verified = isGood ? await verify() : await this.#inTurn(callerNetwork(address), verify);
    if (verified === undefined) return undefined;
    this.#good.add(key);
    const [oldest] = this.#good.size > REMEMBERED ? this.#good : [];
    if (oldest !== undefined) this.#good.delete(oldest);
    return verified;
  }

  async #inTurn<T>(network: string, verify: () => Promise<T>): Promise<T> {
    const turns = this.#byNetwork.get(network) ?? { underWay: 0, waiting: [] };
    this.#byNetwork.set(network, turns);
    // A finished verification passes its slot on, so the count stays the same.
    if (turns.underWay >= VERIFIED_AT_ONCE) await new Promise<void>((resolve) => turns.waiting.push(resolve));
    else turns.underWay += 1;
    try {
      return await verify();
    } finally {
      const next = turns.waiting.shift();
      if (next !== undefined) next();
      else turns.underWay -= 1;
      if (turns.underWay === 0) this.#byNetwork.delete(network);
    }
  }
}
