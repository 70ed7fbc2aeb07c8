import type { SeededRandom } from '#testing/seeded';

const MAX_BYTES = 4_096;
/** Bytes at which numbers change length or sign, and separators in texts. */
const TELLING = [0, 1, 9, 10, 13, 32, 34, 39, 45, 47, 58, 63, 91, 92, 93, 123, 125, 127, 128, 192, 224, 254, 255];

export interface Material {
  /** Words of the language, for mutations to insert. */
  readonly words: readonly string[];
  /** Inputs that reached new code, for mutations to copy parts from. */
  readonly corpus: readonly Buffer[];
  readonly random: SeededRandom;
}

/** Returns a similar input, with one to eight small changes. */
export function mutate(input: Buffer, material: Material): Buffer {
  let bytes = input;
  for (let left = material.random.pick([1, 1, 2, 3, 5, 8]); left > 0; left -= 1) bytes = change(bytes, material);
  return bytes.subarray(0, MAX_BYTES);
}

function change(bytes: Buffer, { words, corpus, random }: Material): Buffer {
  const at = random.integer(0, bytes.length);
  const end = Math.min(bytes.length, at + random.pick([1, 1, 2, 4, 8, 32]));
  const put = (middle: Buffer, from = at): Buffer =>
    Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(from)]);
  switch (random.integer(0, 7)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < bytes.length) flipped[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
      return flipped;
    }
    case 1:
      return put(Buffer.from([random.pick(TELLING)]), at + 1);
    case 2:
      return put(Buffer.from([random.integer(0, 255)]));
    case 3:
      return put(Buffer.alloc(0), end);
    case 4:
      return put(Buffer.concat(Array<Buffer>(random.pick([1, 2, 3, 16, 100])).fill(bytes.subarray(at, end))));
    case 5: {
      const other = random.pick(corpus);
      const from = random.integer(0, other.length);
      return put(other.subarray(from, from + random.integer(1, 64)), random.pick([at, end]));
    }
    default:
      return words.length === 0
        ? put(Buffer.from([random.pick(TELLING)]))
        : put(Buffer.from(random.pick(words)), random.pick([at, at, end]));
  }
}
