import type { Kind, Resource } from '../kinds/kind.ts';
import { manifestOf } from '../kinds/manifest-of.ts';
import { renderTable } from './render-table.ts';
import { renderYaml } from './yaml.ts';

/** `manifest` is the input format of `apply`. */
export const ITEM_FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'manifest'] as const;
export type ItemFormat = (typeof ITEM_FORMATS)[number];

export function renderItems(kind: Kind, items: readonly Resource[], format: 'table' | 'wide' | 'name'): string {
  if (format === 'name') return items.map((item) => `${nameIn(kind, item)}\n`).join('');
  return renderTable(
    headingsOf(kind, format),
    items.map((item) => cellsOf(kind, item, format)),
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

export function headingsOf({ columns }: Kind, format: 'table' | 'wide'): string[] {
  return columns.filter(({ wide }) => format === 'wide' || !wide).map(({ heading }) => heading);
}

export function cellsOf({ columns }: Kind, item: Resource, format: 'table' | 'wide'): string[] {
  return columns.filter(({ wide }) => format === 'wide' || !wide).map((column) => column.cell(item) || '-');
}
