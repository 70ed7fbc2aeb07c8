import { parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { IndexedKind } from '../../domain/index-schema.ts';
import type { IndexSchema } from '../../domain/index-schema-resource.ts';
import { ResourceIndexError } from '../../domain/resource-index-error.ts';
import { schemaFaults } from '../../domain/schema-faults.ts';

export const SCHEMA_COLUMNS = sql.raw(
  'uid, name, workspace, workspace_path, target_type, kinds, version, create_time, update_time',
);

/** Runs the same checks as for user input, because a restored or repaired database can hold anything. */
export function toIndexSchema(row: Row): IndexSchema {
  const name = String(row['name']);
  try {
    const schema = {
      uid: parseUuid(String(row['uid'])),
      name: parseResourceName(name),
      workspace: { name: parseResourceName(String(row['workspace'])), path: String(row['workspace_path']) },
      targetType: String(row['target_type']),
      kinds: kindsOf(String(row['kinds'])),
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
    };
    if (schemaFaults(schema).length > 0) throw new TypeError('it is invalid');
    return schema;
  } catch (cause) {
    throw new ResourceIndexError('STORED_INDEX_INVALID', `read index schema ${name}`, { cause });
  }
}

/** JSON has no `undefined`, so a missing `expiry` is added. */
function kindsOf(text: string): readonly IndexedKind[] {
  const kinds = JSON.parse(text) as readonly (Omit<IndexedKind, 'expiry'> & Partial<Pick<IndexedKind, 'expiry'>>)[];
  return kinds.map(({ expiry, ...kind }) => ({ ...kind, expiry }));
}
