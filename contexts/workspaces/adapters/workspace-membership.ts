import { type Statement, sql } from '#kit/storage';
import type { WorkspaceRange } from '../application/ports.ts';
import { endOf } from './workspace-row.ts';

export interface Membership {
  readonly where: Statement;
  /** What the members are found by. */
  readonly by: 'name' | 'path';
}

const NOTHING: Membership = { where: sql`1 = 0`, by: 'name' };
const EVERYTHING: Membership = { where: sql`1 = 1`, by: 'name' };

const GROUP = 50;

/**
 * The condition on a workspace for being in the list. What the caller may not see is left out here, by an index, and not
 * afterwards: a page that is short, or a place to go on from, would tell of it.
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
  // Who does not see the parent sees of its children those that are granted to him one by one.
  if (visible.kind === 'everything') return NOTHING;
  return { where: sql`parent = ${parent} AND name IN (${sql.list(visible.workspaces)})`, by: 'name' };
}

/** What is both below the top and below one of the roots, as the tops of subtrees. */
function narrowed(top: string, roots: readonly string[]): readonly string[] {
  return roots.some((root) => top.startsWith(root)) ? [top] : roots.filter((root) => root.startsWith(top));
}

/** Each subtree is one range of the index on paths, and both engines look up the ranges one by one. */
function inSubtrees(paths: readonly string[]): Membership {
  return { where: anyOf(paths.map((path) => sql`(path >= ${path} AND path < ${endOf(path)})`)), by: 'path' };
}

/** In groups, as SQLite does not take an expression that is nested very deep, and a plain chain of ORs is. */
function anyOf(conditions: readonly Statement[]): Statement {
  if (conditions.length === 0) return NOTHING.where;
  if (conditions.length <= GROUP) return sql`(${sql.list(conditions, ' OR ')})`;
  const groups = Array.from({ length: Math.ceil(conditions.length / GROUP) }, (_, nth) =>
    anyOf(conditions.slice(nth * GROUP, (nth + 1) * GROUP)),
  );
  return anyOf(groups);
}
