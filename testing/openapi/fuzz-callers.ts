import type { SeededRandom } from '../seeded.ts';

/** Somebody whom requests are sent as. */
export interface FuzzCaller {
  /** For reports: what he may do. */
  readonly name: string;
  readonly token: string;
  /** What he knows to be there, by the names of parameters. */
  readonly knows?: Readonly<Record<string, string>>;
}

/** Whom to send requests as from now on; asked again and again, as requests may well take away what was given. */
export type CallerSource = (turn: number) => Promise<readonly FuzzCaller[]>;

/** So many requests are sent as the same callers. */
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

  /** Before each request, with the number of those before it. */
  async turnUp(done: number): Promise<void> {
    if (done % TURN !== 0) return;
    this.#present = await this.#source(done / TURN);
    for (const { name, token } of this.#present) this.#everybody.set(token, name);
  }

  next(): FuzzCaller {
    return this.#random.pick(this.#present);
  }

  /** Who shows these credentials, if it is one of ours. */
  nameOf(authorization: string | undefined): string | undefined {
    return this.#everybody.get(authorization?.replace(/^Bearer /, '') ?? '');
  }
}
