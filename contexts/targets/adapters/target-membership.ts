import { beginsWith, type Statement, sql } from '#kit/storage';
import type { TargetRange } from '../application/ports.ts';

export interface Membership {
  readonly where: Statement;
  /** The index that finds the members. */
  readonly by: 'name' | 'path';
}

const NOTHING: Membership = { where: sql`1 = 0`, by: 'name' };
const EVERYTHING: Membership = { where: sql`1 = 1`, by: 'name' };

const GROUP = 50;

/**
 * The condition for a target to be in the list. Targets that the caller may not see are excluded here, by an index, and not
 * afterwards: a short page or a page token would reveal that they exist.
 */
export function membership(
  { within, visible }: Pick<TargetRange, 'within' | 'visible'>,
  paths: ReadonlyMap<string, string>,
): Membership {
  const roots = visible.kind === 'everything' ? undefined : visible.workspaces.flatMap((name) => paths.get(name) ?? []);
  const granted = visible.kind === 'everything' ? [] : visible.targets;
  if (within === undefined) return roots === undefined ? EVERYTHING : oneOf(roots, granted);
  const top = paths.get(within.workspace);
  if (top === undefined) return NOTHING;
  const shown = roots === undefined ? [top] : narrowed(top, roots);
  if (within.subtree) return oneOf(shown, granted, top);
  if (shown.includes(top)) return { where: sql`workspace_path = ${top}`, by: 'name' };
  // A caller who may not see the workspace sees only those of its targets that are granted individually.
  return { where: sql`workspace_path = ${top} AND name IN (${sql.list(granted)})`, by: 'name' };
}

/** The subtrees that are below both the top and one of the roots. */
function narrowed(top: string, roots: readonly string[]): readonly string[] {
  return roots.some((root) => top.startsWith(root)) ? [top] : roots.filter((root) => root.startsWith(top));
}

/** Each subtree is one range of the index on paths; both engines look up the ranges and names one by one. */
function oneOf(paths: readonly string[], names: readonly string[], below = '/'): Membership {
  const conditions = paths.map(inSubtree);
  if (names.length > 0) conditions.push(sql`name IN (${sql.list(names)}) AND ${inSubtree(below)}`);
  return { where: anyOf(conditions), by: 'path' };
}

function inSubtree(path: string): Statement {
  return beginsWith(sql`workspace_path`, path);
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
