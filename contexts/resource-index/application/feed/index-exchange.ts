import type { Sleep } from '#kit/std';
import type { FromIndexer, IndexHeld, IndexState, ToIndexer } from '../../domain/index-message.ts';
import type { KnownEntry } from '../../domain/known-objects.ts';

export interface IndexExchangeDeps {
  readonly send: (message: FromIndexer, signal: AbortSignal) => Promise<void>;
  readonly sleep: Sleep;
  /** Timeout for an answer. */
  readonly answerMs: number;
}

type Answer = Extract<ToIndexer, { readonly exchange: number }>;

/** Asks the platform what it has. One question at a time; late answers to earlier questions are ignored. */
export class IndexExchange {
  readonly #deps: IndexExchangeDeps;
  #exchange = 0;
  #answers: (Answer | undefined)[] = [];
  #heard = Promise.withResolvers<void>();

  constructor(deps: IndexExchangeDeps) {
    this.#deps = deps;
  }

  /** The schema and the digests of the platform; `undefined` when no answer arrived. */
  async hello(signal: AbortSignal): Promise<IndexState | undefined> {
    this.#exchange += 1;
    const answer = await this.#ask({ kind: 'hello', exchange: this.#exchange }, signal);
    return answer?.kind === 'state' ? answer : undefined;
  }

  /** The entries of these buckets; `undefined` when the answer did not arrive completely. */
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

  /** Ends the wait for an answer. */
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
