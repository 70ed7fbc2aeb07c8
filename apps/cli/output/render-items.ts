import { labelsCell } from '../kinds/cells.ts';
import type { Column, Kind, Resource } from '../kinds/kind.ts';
import { manifestOf } from '../kinds/manifest-of.ts';
import { renderTable } from './render-table.ts';
import { renderYaml } from './yaml.ts';

export function renderItems(kind: Kind, items: readonly Resource[], format: 'table' | 'wide' | 'name'): string {
  if (format === 'name') return renderNames(kind, items);
  return renderRows(kind, items, { wide: format === 'wide' });
}

export function renderNames(kind: Kind, items: readonly Resource[]): string {
  return items.map((item) => `${nameIn(kind, item)}\n`).join('');
}

export function renderRows(
  kind: Kind,
  items: readonly Resource[],
  { headers = true, ...options }: TableOptions & { readonly headers?: boolean },
): string {
  const columns = columnsOf(kind, options);
  return renderTable(
    columns.map(({ heading }) => heading),
    items.map((item) => cellsOf(columns, item)),
    headers,
  );
}

export async function renderManifests(kind: Kind, items: readonly Resource[]): Promise<string> {
  const manifests = await Promise.all(items.map((item) => manifestOf(kind, item)));
  return manifests.map((manifest) => renderYaml(manifest)).join('---\n');
}

/** `workspace/web`. */
export function nameIn(kind: Kind, item: Resource): string {
  return `${kind.name}/${kind.nameOf?.(item) ?? ''}`;
}

/** What a table of resources shows. */
export interface TableOptions {
  readonly wide?: boolean;
  /** Labels with a column of their own. */
  readonly labelColumns?: readonly string[];
  readonly showLabels?: boolean;
  /** Names as `target/prod-1`, for tables of several kinds. */
  readonly kindInName?: boolean;
}

export function columnsOf(
  kind: Kind,
  { wide = false, labelColumns = [], showLabels = false, kindInName = false }: TableOptions,
): readonly Column<Resource>[] {
  const named = (column: Column<Resource>): Column<Resource> =>
    kindInName && column.heading === 'NAME' ? { ...column, cell: (item) => nameIn(kind, item) } : column;
  const own = kind.columns.filter((column) => wide || !column.wide).map(named);
  const each = labelColumns.map((label) => ({
    heading: label.replace(/^.*\//, '').toUpperCase(),
    cell: (item: Resource) => labelsOf(item)[label],
  }));
  const hasLabels = own.some(({ heading }) => heading === 'LABELS');
  const all =
    showLabels && !hasLabels ? [{ heading: 'LABELS', cell: (item: Resource) => labelsCell(labelsOf(item)) }] : [];
  return [...own, ...each, ...all];
}

function labelsOf({ labels }: Resource): Readonly<Record<string, string>> {
  return (labels ?? {}) as Readonly<Record<string, string>>;
}

export function cellsOf(columns: readonly Column<Resource>[], item: Resource): string[] {
  return columns.map((column) => column.cell(item) || '-');
}
