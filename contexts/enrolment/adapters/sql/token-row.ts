import { parseResourceName, type ResourceName } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { BootstrapToken } from '../../domain/bootstrap-token.ts';
import { invalidRow } from './invalid-row.ts';

export const TOKEN_COLUMNS = sql.raw(
  'id, workspace, workspace_path, name, hash, uses, used, targets, target_type, correlation, create_time, expire_time',
);

export function toToken(row: Row): BootstrapToken {
  const id = String(row['id']);
  return {
    id,
    name: parseResourceName(String(row['name'])),
    workspace: { name: parseResourceName(String(row['workspace'])), path: String(row['workspace_path']) },
    hash: String(row['hash']),
    uses: Number(row['uses']),
    used: Number(row['used']),
    targets: toNames(String(row['targets']), id),
    targetType: row['target_type'] == null ? undefined : parseResourceName(String(row['target_type'])),
    correlation: row['correlation'] == null ? undefined : String(row['correlation']),
    createTime: Number(row['create_time']),
    expireTime: Number(row['expire_time']),
  };
}

/** Ignoring an unreadable list would widen the token, so the token is refused. */
function toNames(text: string, id: string): readonly ResourceName[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map((name) => parseResourceName(String(name)));
  } catch (cause) {
    throw invalidRow(`bootstrap token ${id}`, cause);
  }
  throw invalidRow(`bootstrap token ${id}`);
}
