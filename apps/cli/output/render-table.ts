import { printable } from './printable.ts';

/** Columns with headings, as wide as necessary and separated by two spaces. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[], headers = true): string {
  const lines = [...(headers ? [headings] : []), ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => lengthOf(line[column]))));
  return lines.map((line) => `${renderLine(line, widths)}\n`).join('');
}

function renderLine(line: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => {
    const cell = line[column] ?? '';
    return cell + ' '.repeat(width - lengthOf(cell));
  });
  return cells.join('  ').trimEnd();
}

function lengthOf(cell: string | undefined): number {
  return [...(cell ?? '')].length;
}
