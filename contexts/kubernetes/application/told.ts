const MAX_TOLD = 3;

/** Sorted and bounded, so that the same trouble has the same words. */
export function told(messages: readonly string[]): string {
  const more = messages.length > MAX_TOLD ? [`and ${messages.length - MAX_TOLD} more`] : [];
  return [...messages.toSorted().slice(0, MAX_TOLD), ...more].join(' ');
}
