import type { SeededRandom } from '../seeded.ts';

/** A caller that requests are sent as. */
export interface FuzzCaller {
  /** For reports: describes its rights. */
  readonly name: string;
  readonly token: string;
  /** Objects it knows to exist, by parameter name. */
  readonly knows?: Readonly<Record<string, string>>;
}

/**
 * Provides the callers for the next requests, the one with most rights first. Called repeatedly, because requests may well
 * revoke what was granted.
 */
export type CallerSource = (turn: number) => Promise<readonly FuzzCaller[]>;

/** Number of requests sent with the same callers. */
const TURN = 250;

export class FuzzCallers {
  readonly #source: CallerSource;
  readonly #random: SeededRandom;
  readonly #everybody = new Map<string, string>();
  #present: readonly FuzzCaller[] = [];

  constructor(source: CallerSource, random: SeededRandom) {
    this.#source = source;
    this.#random = random;
  }

  /** Called before each request, with the number of requests so far. */
  async turnUp(done: number): Promise<void> {
    if (done % TURN !== 0) return;
    this.#present = await this.#source(done / TURN);
    for (const { name, token } of this.#present) this.#everybody.set(token, name);
  }

  next(): FuzzCaller {
    return this.#random.pick(this.#present);
  }

  /** Needs no grant that a request could have revoked. */
  mostPowerful(): FuzzCaller {
    return this.#present[0] ?? this.next();
  }

  /** The caller with these credentials, if it is one of ours. */
  nameOf(authorization: string | undefined): string | undefined {
    return this.#everybody.get(authorization?.replace(/^Bearer /, '') ?? '');
  }
}
