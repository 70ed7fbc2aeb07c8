import { type Statement, sql } from '#kit/storage';

/** The part of the tree that a caller may see with a permission. */
export type VisibleSet =
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'some';
      /** The tops of the subtrees. */
      readonly workspaces: readonly string[];
      /** Granted directly, outside these subtrees. */
      readonly targets: readonly string[];
    };

/** The current path of a workspace, as `/root/emea/web/`; `undefined` when there is no workspace of that name. */
export interface WorkspacePaths {
  pathOf(workspace: string): string | undefined;
}

/** When the resource that has a name now was created: entries from before belong to another resource. */
export interface Births {
  /** In milliseconds since 1970; `undefined` when there is no resource of that name. */
  bornAt(resource: { readonly kind: 'workspace' | 'target'; readonly name: string }): number | undefined;
}

/** `FALSE` without conditions. */
export function anyOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? sql`1 = 0` : sql`(${sql.list(conditions, ' OR ')})`;
}

export function allOf(conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? sql`1 = 1` : sql.list(conditions, ' AND ');
}
