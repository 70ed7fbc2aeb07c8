/** What a terminal, a log or a database may take for more than text: C0 and C1 but tab and newline, and marks that turn the direction of writing. */
// oxlint-disable-next-line no-control-regex -- These are what is looked for.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;
const REPLACEMENT = '\ufffd';

/** For people: a sentence or a few, and never a document. */
const LONGEST_FOREIGN_TEXT = 2_048;

/** Text of another process as it may be stored and shown: printable, and cut with a mark. */
export function foreignText(raw: string, longest = LONGEST_FOREIGN_TEXT): string {
  const cut = raw.length > longest ? `${whole(raw.slice(0, longest))}… (${raw.length} characters)` : raw;
  return cut.replaceAll(UNPRINTABLE, REPLACEMENT);
}

/** The same for a list: one that is too long ends with how many are left out. */
export function foreignTexts(raw: readonly string[], most: number, longest: number): string[] {
  const texts = raw.slice(0, most).map((text) => foreignText(text, longest));
  return raw.length > most ? [...texts, `… (${raw.length - most} more)`] : texts;
}

/** A name or hash, which is compared and never shortened: throws for one that no honest process has. */
export function foreignName(raw: string, longest = 256): string {
  if (raw.length > longest) throw new RangeError(`a name has ${raw.length} characters, and at most ${longest}`);
  if (raw.search(UNPRINTABLE) !== -1 || /[\t\n]/.test(raw)) throw new RangeError('a name has control characters');
  return raw;
}

/** Of 64 bits on the wire: throws for what a number does not hold exactly, or what is below `least`. */
export function foreignInteger(raw: bigint, least = 0): number {
  if (raw > BigInt(Number.MAX_SAFE_INTEGER) || raw < BigInt(least)) throw new RangeError(`${raw} is out of range`);
  return Number(raw);
}

/** A list whose length is bounded, since each item costs the receiver something: throws for more. */
export function foreignList<T>(raw: readonly T[], most: number): readonly T[] {
  if (raw.length > most) throw new RangeError(`a list has ${raw.length} items, and at most ${most}`);
  return raw;
}

/** Without half a character at its end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}
