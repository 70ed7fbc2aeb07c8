/** More than can be deleted between a commit and the arrival of its event; about 2 MB of uids. */
const REMEMBERED = 20_000;

/**
 * Remembers the uids deleted most recently, so that a late change from before the deletion does not resurrect a
 * resource. The oldest are forgotten: if such a change still arrives, the event of the deletion follows it.
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
