import { UsageError } from '../command.ts';
import type { Resource } from '../kinds/kind.ts';
import { type JsonPath, parseJsonPath, textOf, valuesAt } from './json-path.ts';
import { renderTable } from './render-table.ts';

/** A table of the columns that the caller names, as `NAME:.name,STAGE:.labels.stage`. */
export function renderCustomColumns(template: string, items: readonly Resource[], headers: boolean): string {
  const columns = template.split(/,(?![^[]*\])/).map((column) => {
    const [, heading, path] = /^([^:]+):(.+)$/s.exec(column) ?? [];
    if (heading === undefined || path === undefined)
      throw new UsageError(`custom-columns: "${column}" is not HEADING:PATH`);
    return { heading, path: parseJsonPath(path) };
  });
  const rows = items.map((item) => columns.map(({ path }) => valuesAt(path, item).map(textOf).join(',') || '<none>'));
  return renderTable(
    columns.map(({ heading }) => heading),
    rows,
    headers,
  );
}

/** Sorted by the value at the path; those without it come first, and equal ones keep their order. */
export function sortedBy(given: string, items: readonly Resource[]): readonly Resource[] {
  const path = parseJsonPath(given);
  const keyed = items.map((item) => ({ item, key: keyOf(path, item) }));
  if (items.length > 0 && keyed.every(({ key }) => key === undefined)) {
    throw new UsageError(`--sort-by ${given}: no resource has that field; -o json shows what they have`);
  }
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ item }) => item);
}

type Key = string | number | undefined;

function keyOf(path: JsonPath, item: Resource): Key {
  const [value] = valuesAt(path, item);
  return value === undefined || value === null ? undefined : typeof value === 'number' ? value : textOf(value);
}

function compare(a: Key, b: Key): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}
