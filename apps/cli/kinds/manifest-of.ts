import { UsageError } from '../command.ts';
import type { Kind, Resource } from './kind.ts';

/** The document from which `apply` would create this resource. */
export async function manifestOf(kind: Kind, item: Resource): Promise<Resource> {
  const { apply, title, nameOf } = kind;
  if (apply === undefined || nameOf === undefined) {
    throw new UsageError(`${kind.plural} cannot be created with "fleetshift apply"; print them with -o yaml`);
  }
  const place = apply.placeOf?.(item) ?? {};
  const derived = apply.derived?.(item) ?? [];
  const { properties } = await apply.spec();
  const fields = Object.keys(properties).filter((field) => isSaid(item[field]) && !derived.includes(field));
  const spec = fields.map((field) => [field, item[field]]);
  return { kind: title, name: nameOf(item), ...place, spec: Object.fromEntries(spec) as Resource };
}

/** Empty fields are omitted. */
function isSaid(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
