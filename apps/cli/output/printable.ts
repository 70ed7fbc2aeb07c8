/** Text from elsewhere, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}
