import { inPieces } from '#kit/std';
import { type Statement, sql, type Value } from '#kit/storage';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { DeploymentTarget } from '../../domain/deployment/deployment-target.ts';
import { TARGET_COLUMNS, targetValues } from './deployment-target-row.ts';

const COLUMNS = TARGET_COLUMNS.parts.join('').split(',');
/** From this many rows on, a group gets a statement of its own. */
const WORTH_IT = 8;
/** Within the limit of values per statement on both engines, with room for the columns. */
const IDS = 1_000;

interface AlikeChanges {
  readonly updates: readonly Statement[];
  /** Rows that have to be written whole. */
  readonly others: readonly DeploymentTarget[];
}

/**
 * A wave of orders or reports changes its rows in nearly the same way: rows that change in the same columns to the same
 * values share one narrow statement. `known` returns a row as the current transaction has read it.
 */
export function alikeChanges(
  rows: readonly DeploymentTarget[],
  known: (row: DeploymentTarget) => DeploymentTarget | undefined,
): AlikeChanges {
  const groups = new Map<string, Alike>();
  const others: DeploymentTarget[] = [];
  for (const row of rows) {
    const before = known(row);
    if (before === undefined) others.push(row);
    else lay(groups, row, differences(before, row));
  }
  const updates: Statement[] = [];
  for (const alike of groups.values()) {
    if (alike.rows.length < WORTH_IT) others.push(...alike.rows);
    else updates.push(...updatesOf(alike));
  }
  return { updates, others };
}

interface Difference {
  readonly column: string;
  readonly value: Value;
}

interface Alike {
  readonly deployment: DeploymentId;
  readonly differences: readonly Difference[];
  readonly rows: DeploymentTarget[];
}

function differences(before: DeploymentTarget, after: DeploymentTarget): readonly Difference[] {
  const old = targetValues(before).values;
  return targetValues(after).values.flatMap((value, at) => {
    const column = COLUMNS[at];
    return column === undefined || value === old[at] ? [] : { column, value };
  });
}

/** An unchanged row needs no statement. */
function lay(groups: Map<string, Alike>, row: DeploymentTarget, differing: readonly Difference[]): void {
  if (differing.length === 0) return;
  const { deployment } = row;
  const key = JSON.stringify([deployment, differing]);
  const alike = groups.get(key);
  if (alike === undefined) groups.set(key, { deployment, differences: differing, rows: [row] });
  else alike.rows.push(row);
}

function updatesOf({ deployment, differences: differing, rows }: Alike): readonly Statement[] {
  const set = sql.list(differing.map(({ column, value }) => sql`${sql.raw(column)} = ${value}`));
  return inPieces(rows, IDS).map((some) => {
    const targets = sql.list(some.map(({ target }) => target));
    const update = sql`
      UPDATE deployment_targets SET ${set} WHERE deployment = ${deployment} AND target IN (${targets})`;
    return sql.expect(some.length, update);
  });
}
