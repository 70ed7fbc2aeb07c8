import { hash } from 'node:crypto';
import { callerNetwork } from '#kit/std';

/** Tokens of one address whose signatures are verified at the same time. */
export const VERIFIED_AT_ONCE = 4;
const REMEMBERED = 10_000;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * To verify a signature takes far longer than to look up a token. Those of one address are verified a few at a time, so that wrong
 * ones never take more than that of this process; a token that was good before does not wait, and is verified all the same.
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
    // Whoever ends hands its turn on, so that the number stays the same.
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
