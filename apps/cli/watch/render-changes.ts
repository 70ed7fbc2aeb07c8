import type { Column, Kind, Resource } from '../kinds/kind.ts';
import { cellsOf, columnsOf, nameIn, type TableOptions } from '../output/render-items.ts';
import { renderTable } from '../output/render-table.ts';
import { renderYaml } from '../output/yaml.ts';
import type { Change } from './watch-kind.ts';

export type WatchFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export type WatchTable = Omit<TableOptions, 'wide'> & { readonly headers?: boolean };

/**
 * Renders changes as they come: rows for people, one document per change for programs. Columns keep their initial width
 * as long as it is sufficient.
 */
export class ChangeRenderer {
  readonly #kind: Kind;
  readonly #format: WatchFormat;
  readonly #columns: readonly Column<Resource>[];
  #widths: readonly number[] = ['MODIFIED'.length];
  #isFirst: boolean;

  constructor(kind: Kind, format: WatchFormat, { headers = true, ...options }: WatchTable = {}) {
    this.#kind = kind;
    this.#format = format;
    this.#columns = columnsOf(kind, { ...options, wide: format === 'wide' });
    this.#isFirst = headers;
  }

  render(changes: readonly Change[]): string {
    const kind = this.#kind;
    switch (this.#format) {
      case 'json':
        return changes.map(({ type, item }) => `${JSON.stringify({ type, object: item })}\n`).join('');
      case 'yaml':
        return changes.map(({ type, item }) => `---\n${renderYaml({ type, object: item })}`).join('');
      case 'name':
        return changes.map(({ item }) => `${nameIn(kind, item)}\n`).join('');
      case 'table':
      case 'wide':
        return this.#renderRows(changes);
    }
  }

  #renderRows(changes: readonly Change[]): string {
    const headings = ['EVENT', ...this.#columns.map(({ heading }) => heading)];
    const rows = changes.map(({ type, item }) => [type, ...cellsOf(this.#columns, item)]);
    const isFirst = this.#isFirst;
    const before = this.#widths;
    this.#isFirst = false;
    const padded = headings.map((heading, column) => heading.padEnd(before[column] ?? 0));
    const table = renderTable(padded, rows);
    this.#widths = headings.map((heading, column) =>
      Math.max(before[column] ?? 0, heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
    );
    return isFirst ? table : table.slice(table.indexOf('\n') + 1);
  }
}
