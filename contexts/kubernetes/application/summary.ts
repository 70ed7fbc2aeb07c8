const MAX_MESSAGES = 3;

/** Sorted and bounded, so that the same failures give the same message. */
export function summaryOf(messages: readonly string[]): string {
  const more = messages.length > MAX_MESSAGES ? [`and ${messages.length - MAX_MESSAGES} more`] : [];
  return [...messages.toSorted().slice(0, MAX_MESSAGES), ...more].join(' ');
}

const MAX_LINES = 100;

/** Sorted and bounded list for people to read. */
export function boundedList(lines: readonly string[]): readonly string[] {
  const more = lines.length > MAX_LINES ? [`and ${lines.length - MAX_LINES} more`] : [];
  return [...lines.toSorted().slice(0, MAX_LINES), ...more];
}
