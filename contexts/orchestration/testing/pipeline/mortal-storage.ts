import type { Reader, Row, Statement, Storage, Transaction } from '#kit/storage';

/** When a process dies: at its nth operation from now, a statement within a transaction included. */
export interface Death {
  readonly operations: number;
  /**
   * `before` the operation, or `after` it: then it happened, and the process never learns. `committed` is after, and counts
   * only what commits.
   */
  readonly when: 'before' | 'after' | 'committed';
}

/** The storage as one process sees it. A dead process changes nothing and learns nothing any more. */
export class MortalStorage implements Storage {
  readonly engine: Storage['engine'];
  /** Operations that have not ended. Without any, only time or a caller from outside can continue the process. */
  underWay = 0;
  /** Operations so far. */
  count = 0;
  isDead = false;
  readonly #inner: Storage;
  readonly #onDeath: () => void;
  #death: Death | undefined;

  constructor(inner: Storage, onDeath: () => void) {
    this.engine = inner.engine;
    this.#inner = inner;
    this.#onDeath = onDeath;
  }

  dieAt(death: Death): void {
    this.#death = death;
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#onDeath();
  }

  all<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R[]> {
    return this.#live(() => this.#inner.all<R>(statement, signal));
  }

  get<R extends Row = Row>(statement: Statement, signal: AbortSignal): Promise<R | undefined> {
    return this.#live(() => this.#inner.get<R>(statement, signal));
  }

  read<T>(body: (reader: Reader) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#live(() => this.#inner.read((reader) => body(this.#reader(reader)), signal));
  }

  write<T>(body: (tx: Transaction) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#commits(() => this.#inner.write((tx) => body(this.#transaction(tx)), signal));
  }

  commit(batch: readonly Statement[], signal: AbortSignal): Promise<number[]> {
    return this.#commits(() => this.#inner.commit(batch, signal));
  }

  onAnnounced(topic: string, listener: () => void): () => void {
    return this.#inner.onAnnounced(topic, () => {
      if (!this.isDead) listener();
    });
  }

  announce(topic: string, signal: AbortSignal): Promise<void> {
    return this.#live(() => this.#inner.announce(topic, signal));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #reader(reader: Reader): Reader {
    return {
      all: <R extends Row>(statement: Statement) => this.#live(() => reader.all<R>(statement)),
      get: <R extends Row>(statement: Statement) => this.#live(() => reader.get<R>(statement)),
    };
  }

  #transaction(tx: Transaction): Transaction {
    return {
      ...this.#reader(tx),
      run: (statement) => this.#live(() => tx.run(statement)),
      batch: (statements) => this.#live(() => tx.batch(statements)),
    };
  }

  #commits<T>(operation: () => Promise<T>): Promise<T> {
    return this.#live(async () => {
      const value = await operation();
      this.#mayDie('committed');
      return value;
    });
  }

  async #live<T>(operation: () => Promise<T>): Promise<T> {
    this.count += 1;
    this.#mayDie('before');
    this.underWay += 1;
    try {
      const value = await operation();
      this.#mayDie('after');
      return value;
    } finally {
      this.underWay -= 1;
    }
  }

  #mayDie(when: Death['when']): void {
    if (this.#death?.when === when && !this.isDead) {
      const { operations } = this.#death;
      this.#death = { operations: operations - 1, when };
      if (operations <= 0) this.die();
    }
    if (this.isDead) throw new Error('the process is dead');
  }
}
