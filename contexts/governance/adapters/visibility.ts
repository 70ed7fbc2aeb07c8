import type { Principal } from '#kit/http';
import { type Statement, sql } from '#kit/storage';

/** Which part of the tree a caller may see with this permission. */
export interface Visibility {
  of(principal: Principal, permission: string): VisibleSet;
}

export type VisibleSet =
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'some';
      /** The tops of the subtrees. */
      readonly workspaces: readonly string[];
      /** Granted directly, outside these subtrees. */
      readonly targets: readonly string[];
    };

/** Where a workspace is now, as `/root/emea/web/`; `undefined` when there is none of that name. */
export interface WorkspacePaths {
  pathOf(workspace: string): string | undefined;
}

/** When that which has a name now was made: what happened under the name before is another one's. */
export interface Births {
  /** In milliseconds since 1970; `undefined` when there is none of that name. */
  bornAt(resource: { readonly kind: 'workspace' | 'target'; readonly name: string }): number | undefined;
}

/** One range of an index: `0` is the character after the slash. */
export function within(column: Statement, path: string): Statement {
  return sql`(${column} >= ${path} AND ${column} < ${`${path.slice(0, -1)}0`})`;
}

/** `FALSE` for nothing at all. */
export function anyOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? sql`1 = 0` : sql`(${sql.list(conditions, ' OR ')})`;
}

export function allOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? sql`1 = 1` : sql.list(conditions, ' AND ');
}
