import type { ApiStatus } from './api-status.ts';
import { pathText } from './field-path.ts';
import { fieldsOf, placesOf } from './field-set.ts';
import { FIELD_MANAGER, type KubeObject, keyText, type ObjectKey } from './kube-object.ts';

/** Fields of an object that another manager owns. */
export interface ForeignFields {
  readonly manager: string;
  /** Sorted, in the notation of the server. */
  readonly fields: readonly string[];
}

const MAX_FIELDS = 5;
const MANAGER = /^conflict with "((?:[^"\\]|\\.)*)"/;

/** Managers whose fields a server-side apply would have taken; `undefined` if the refusal has another cause. */
export function conflictsOf({ details }: ApiStatus): ForeignFields[] | undefined {
  const byManager = new Map<string, string[]>();
  for (const { reason, message = '', field = '' } of details?.causes ?? []) {
    const manager = reason === 'FieldManagerConflict' ? MANAGER.exec(message)?.[1] : undefined;
    if (manager === undefined) continue;
    const name = manager.replaceAll(/\\(.)/g, '$1');
    byManager.set(name, [...(byManager.get(name) ?? []), field]);
  }
  return byManager.size === 0 ? undefined : sorted(byManager);
}

/** Other managers of an object. Writes to its status are a controller's normal work, not a claim. */
export function foreignManagers({ metadata }: KubeObject): ForeignFields[] {
  const byManager = new Map<string, string[]>();
  for (const entry of metadata.managedFields ?? []) {
    const { manager = '', subresource = '' } = entry;
    if (manager === FIELD_MANAGER || subresource !== '') continue;
    byManager.set(manager, [...(byManager.get(manager) ?? []), ...placesOf(fieldsOf(entry)).map(pathText)]);
  }
  return sorted(byManager);
}

/** The same conflict always gives the same message. */
export function conflictMessage(key: ObjectKey, conflicts: readonly ForeignFields[]): string {
  const claims = conflicts.map(({ manager, fields }) => `${manager} has ${bounded(fields)}`);
  return `${keyText(key)}: ${claims.join('; ')}. Set onConflict: force to take these fields, ignoreFields to leave them, or take them out of the manifest.`;
}

/** Lists a few, and how many more there are. */
export function bounded(fields: readonly string[]): string {
  const more = fields.length > MAX_FIELDS ? ` and ${fields.length - MAX_FIELDS} more` : '';
  return `${fields.slice(0, MAX_FIELDS).join(', ')}${more}`;
}

function sorted(byManager: ReadonlyMap<string, readonly string[]>): ForeignFields[] {
  return [...byManager]
    .map(([manager, fields]) => ({ manager, fields: [...new Set(fields)].sort() }))
    .sort((one, two) => (one.manager < two.manager ? -1 : 1));
}
