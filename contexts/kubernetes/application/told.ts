const MAX_TOLD = 3;

/** Sorted and bounded, so that the same trouble has the same words. */
export function told(messages: readonly string[]): string {
  const more = messages.length > MAX_TOLD ? [`and ${messages.length - MAX_TOLD} more`] : [];
  return [...messages.toSorted().slice(0, MAX_TOLD), ...more].join(' ');
}

const MAX_LINES = 100;

/** Of a list that is for people: in order, and no longer than anybody reads. */
export function listed(lines: readonly string[]): readonly string[] {
  const more = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more`] : [];
  return [...lines.toSorted().slice(0, MAX_LINES), ...more];
}
