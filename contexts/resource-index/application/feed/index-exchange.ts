import type { Sleep } from '#kit/std';
import type { FromIndexer, IndexHeld, IndexState, ToIndexer } from '../../domain/index-message.ts';
import type { KnownEntry } from '../../domain/known-objects.ts';

export interface IndexExchangeDeps {
  readonly send: (message: FromIndexer, signal: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  /** How long an answer may take. */
  readonly answerMs: number;
}

type Answer = Extract<ToIndexer, { readonly exchange: number }>;

/** Asks the platform what it has. One question at a time; what is no answer to it comes too late, and is passed over. */
export class IndexExchange {
  readonly #deps: IndexExchangeDeps;
  #exchange = 0;
  #answers: (Answer | undefined)[] = [];
  #heard = Promise.withResolvers<void>();

  constructor(deps: IndexExchangeDeps) {
    this.#deps = deps;
  }

  /** What is to be indexed, and what there is; `undefined` when it was not heard. */
  async hello(signal: AbortSignal): Promise<IndexState | undefined> {
    this.#exchange += 1;
    const answer = await this.#ask({ kind: 'hello', exchange: this.#exchange }, signal);
    return answer?.kind === 'state' ? answer : undefined;
  }

  /** What there is in these buckets; `undefined` when it was not heard to the end. */
  async held(
    type: string,
    buckets: readonly number[],
    signal: AbortSignal,
  ): Promise<readonly KnownEntry[] | undefined> {
    const entries: KnownEntry[] = [];
    let part = await this.#ask({ kind: 'ask', exchange: this.#exchange, type, buckets }, signal);
    for (;;) {
      if (part?.kind !== 'held' || part.type !== type) return undefined;
      entries.push(...entriesOf(part));
      if (part.isLast) return entries;
      part = await this.#next(signal);
    }
  }

  take(answer: Answer): void {
    if (answer.exchange === this.#exchange) this.#add(answer);
  }

  /** Whoever waits for an answer waits no longer. */
  interrupt(): void {
    this.#add(undefined);
  }

  async #ask(question: FromIndexer, signal: AbortSignal): Promise<Answer | undefined> {
    this.#answers = [];
    await this.#deps.send(question, signal);
    return await this.#next(signal);
  }

  async #next(signal: AbortSignal): Promise<Answer | undefined> {
    if (this.#answers.length > 0) return this.#answers.shift();
    const over = new AbortController();
    const { sleep, answerMs } = this.#deps;
    try {
      await Promise.race([this.#heard.promise, sleep(answerMs, AbortSignal.any([signal, over.signal]))]);
    } finally {
      over.abort();
    }
    return this.#answers.shift();
  }

  #add(answer: Answer | undefined): void {
    this.#answers.push(answer);
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }
}

function entriesOf({ objects }: IndexHeld): KnownEntry[] {
  return objects.map(({ namespace, name, digest }) => ({ keyText: `${namespace}/${name}`, digest }));
}
