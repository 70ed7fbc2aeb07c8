/**
 * Characters that a terminal, log or database may interpret: C0 and C1 except tab and newline, and marks that change
 * the writing direction.
 */
// oxlint-disable-next-line no-control-regex -- These are what is looked for.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;
const REPLACEMENT = '\ufffd';

/** A few sentences for people, not a document. */
const LONGEST_FOREIGN_TEXT = 2_048;

/** Makes text from another process safe to store and show: printable, and truncated with a mark. */
export function foreignText(raw: string, longest = LONGEST_FOREIGN_TEXT): string {
  const cut = raw.length > longest ? `${whole(raw.slice(0, longest))}… (${raw.length} characters)` : raw;
  return cut.replaceAll(UNPRINTABLE, REPLACEMENT);
}

/** The same for a list: a list that is too long is cut, and its last entry says how many are left out. */
export function foreignTexts(raw: readonly string[], most: number, longest: number): string[] {
  const texts = raw.slice(0, most).map((text) => foreignText(text, longest));
  return raw.length > most ? [...texts, `… (${raw.length - most} more)`] : texts;
}

/** A name or hash, which is compared and therefore never truncated. Throws if it is too long or has control characters. */
export function foreignName(raw: string, longest = 256): string {
  if (raw.length > longest) throw new RangeError(`a name has ${raw.length} characters, and at most ${longest}`);
  if (raw.search(UNPRINTABLE) !== -1 || /[\t\n]/.test(raw)) throw new RangeError('a name has control characters');
  return raw;
}

/** A 64-bit integer from the wire. Throws if a number cannot hold it exactly, or if it is below `least`. */
export function foreignInteger(raw: bigint, least = 0): number {
  if (raw > BigInt(Number.MAX_SAFE_INTEGER) || raw < BigInt(least)) throw new RangeError(`${raw} is out of range`);
  return Number(raw);
}

/** A list of bounded length, since each item costs the receiver something. Throws if it is longer. */
export function foreignList<T>(raw: readonly T[], most: number): readonly T[] {
  if (raw.length > most) throw new RangeError(`a list has ${raw.length} items, and at most ${most}`);
  return raw;
}

/** The text without half a surrogate pair at its end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}
