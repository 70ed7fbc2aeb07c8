/** Who wants to hear of which topic, within this process. */
export class Announcements {
  readonly #listeners = new Map<string, Set<() => void>>();

  listen(topic: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** Listeners run on their own turn, so that one that throws harms neither the writer nor its neighbours. */
  tell(topics: Iterable<string>): void {
    for (const topic of topics) {
      for (const listener of this.#listeners.get(topic) ?? []) queueMicrotask(listener);
    }
  }

  tellAll(): void {
    this.tell(this.#listeners.keys());
  }
}
