/** Host names, versions and regions may contain characters that labels must not. */
export function labelOf(text: string): string {
  return text
    .slice(0, 63)
    .replaceAll(/[^-A-Za-z0-9_.]/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
}
