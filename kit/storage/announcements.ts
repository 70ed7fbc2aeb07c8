/** Listeners by topic, within this process. */
export class Announcements {
  readonly #listeners = new Map<string, Set<() => void>>();

  listen(topic: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** Each listener runs in a microtask of its own, so that one that throws affects neither the writer nor other listeners. */
  tell(topics: Iterable<string>): void {
    for (const topic of topics) {
      for (const listener of this.#listeners.get(topic) ?? []) queueMicrotask(listener);
    }
  }

  tellAll(): void {
    this.tell(this.#listeners.keys());
  }
}
