/** So many as can be deleted between a commit and its event coming round; some 2 MB of uids. */
const REMEMBERED = 20_000;

/**
 * The uids of what was deleted last, so that news from before the deletion brings nothing back. It forgets the oldest:
 * should their news still come, the news of their deletion comes right after it.
 */
export class Departed {
  readonly #uids = new Set<string>();
  readonly #limit: number;

  constructor(limit = REMEMBERED) {
    this.#limit = limit;
  }

  add(uid: string): void {
    this.#uids.add(uid);
    if (this.#uids.size <= this.#limit) return;
    for (const oldest of this.#uids) {
      this.#uids.delete(oldest);
      return;
    }
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}
