import { createHash } from 'node:crypto';

/** Pseudo-random numbers that are the same at every replay of a run (sfc32, seeded by a hash). */
export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #count: number;

  constructor(seed: string) {
    const hash = createHash('sha256').update(seed).digest();
    this.#a = hash.readInt32LE(0);
    this.#b = hash.readInt32LE(4);
    this.#c = hash.readInt32LE(8);
    this.#count = hash.readInt32LE(12);
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    return this.#word() / 2 ** 32;
  }

  /** A UUID of version 4. */
  uuid(): string {
    const words = Array.from({ length: 4 }, () => this.#word().toString(16).padStart(8, '0')).join('');
    const variant = ((Number.parseInt(words.charAt(16), 16) & 0x3) | 0x8).toString(16);
    return `${words.slice(0, 8)}-${words.slice(8, 12)}-4${words.slice(13, 16)}-${variant}${words.slice(17, 20)}-${words.slice(20)}`;
  }

  #word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}
