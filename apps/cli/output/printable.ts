/** Text from elsewhere, without characters that a terminal would interpret. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}
