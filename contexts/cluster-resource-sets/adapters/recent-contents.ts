import type { ResourceContent } from '../application/ports.ts';

interface Sized extends ResourceContent {
  /** Size of the text it was read from. */
  readonly size: number;
}

/** Parsed objects take a few times the memory of their text. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Recently parsed resources. A change goes to all clusters at about the same time and is parsed once for them. The
 * oldest are evicted; the latest is always kept, however large.
 */
export class RecentContents {
  readonly #reading = new Map<string, Promise<Sized>>();
  readonly #recent = new Map<string, Sized>();
  #bytes = 0;

  async get(id: string, read: () => Promise<Sized>): Promise<ResourceContent> {
    const recent = this.#recent.get(id);
    if (recent) return recent;
    const begun = this.#reading.get(id);
    if (begun) return await begun;
    const reading = read();
    this.#reading.set(id, reading);
    try {
      const content = await reading;
      this.#keep(id, content);
      return content;
    } finally {
      this.#reading.delete(id);
    }
  }

  #keep(id: string, content: Sized): void {
    for (const [oldest, { size }] of this.#recent) {
      if (this.#bytes + content.size <= MOST_BYTES) break;
      this.#recent.delete(oldest);
      this.#bytes -= size;
    }
    this.#recent.set(id, content);
    this.#bytes += content.size;
  }
}
