import { type Statement, sql } from '#kit/storage';
import type { WorkspaceRange } from '../application/ports.ts';
import { endOf } from './workspace-row.ts';

export interface Membership {
  readonly where: Statement;
  /** The index that finds the members. */
  readonly by: 'name' | 'path';
}

const NOTHING: Membership = { where: sql`1 = 0`, by: 'name' };
const EVERYTHING: Membership = { where: sql`1 = 1`, by: 'name' };

const GROUP = 50;

/**
 * The condition for a workspace to be in the list. Workspaces that the caller may not see are excluded here, by an index, and
 * not afterwards: a short page or a page token would reveal that they exist.
 */
export function membership(
  { within, visible }: Pick<WorkspaceRange, 'within' | 'visible'>,
  paths: ReadonlyMap<string, string>,
): Membership {
  const roots = visible.kind === 'everything' ? undefined : visible.workspaces.flatMap((name) => paths.get(name) ?? []);
  if (within === undefined) return roots === undefined ? EVERYTHING : inSubtrees(roots);
  const { parent, subtree } = within;
  const top = paths.get(parent);
  if (top === undefined) return NOTHING;
  const shown = roots === undefined ? [top] : narrowed(top, roots);
  if (subtree) return { where: sql`${inSubtrees(shown).where} AND name <> ${parent}`, by: 'path' };
  if (shown.includes(top)) return { where: sql`parent = ${parent}`, by: 'name' };
  // A caller who may not see the parent sees only those of its children that are granted individually.
  if (visible.kind === 'everything') return NOTHING;
  return { where: sql`parent = ${parent} AND name IN (${sql.list(visible.workspaces)})`, by: 'name' };
}

/** The subtrees that are below both the top and one of the roots. */
function narrowed(top: string, roots: readonly string[]): readonly string[] {
  return roots.some((root) => top.startsWith(root)) ? [top] : roots.filter((root) => root.startsWith(top));
}

/** Each subtree is one range of the index on paths; both engines look up the ranges one by one. */
function inSubtrees(paths: readonly string[]): Membership {
  return { where: anyOf(paths.map((path) => sql`(path >= ${path} AND path < ${endOf(path)})`)), by: 'path' };
}

/** In groups: SQLite limits the depth of expressions, and a plain chain of ORs is deep. */
function anyOf(conditions: readonly Statement[]): Statement {
  if (conditions.length === 0) return NOTHING.where;
  if (conditions.length <= GROUP) return sql`(${sql.list(conditions, ' OR ')})`;
  const groups = Array.from({ length: Math.ceil(conditions.length / GROUP) }, (_, nth) =>
    anyOf(conditions.slice(nth * GROUP, (nth + 1) * GROUP)),
  );
  return anyOf(groups);
}
