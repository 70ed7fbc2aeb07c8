import { parseUuid } from '#kit/std';
import { type Row, type Statement, sql } from '#kit/storage';
import { HEALTHS } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import { type DeploymentTarget, ORDER_STATES, type Order } from '../../domain/deployment/deployment-target.ts';
import { FAILURE_REASONS } from '../../domain/rollout/machine/member.ts';

/**
 * The columns that `toDeploymentTarget` reads, by name: during an upgrade a release also runs on the table of the next
 * one.
 */
export const TARGET_COLUMNS = sql.raw(
  `deployment, target, name, type, is_placed, is_online, applied_revision, applied_hash, order_kind, order_revision,
   order_batch, order_state, order_hash, order_since, failure, health, health_revision, health_message, is_owed, drift,
   instance, update_time`,
);

/**
 * The same for queries. Earlier versions stored any revision that an agent reported, and one beyond the safe integers
 * would make the whole page unreadable: such a revision is treated as unknown.
 */
export const READ_TARGET_COLUMNS = sql.raw(
  `deployment, target, name, type, is_placed, is_online, ${exact('applied_revision', 'NULL')}, applied_hash, order_kind,
   ${exact('order_revision', String(Number.MAX_SAFE_INTEGER))}, order_batch, order_state, order_hash, order_since, failure, health, ${exact('health_revision', '0')},
   health_message, is_owed, drift, instance, update_time`,
);

function exact(column: string, otherwise: string): string {
  return `CASE WHEN ${column} > ${Number.MAX_SAFE_INTEGER} THEN ${otherwise} ELSE ${column} END AS ${column}`;
}

export function targetValues(row: DeploymentTarget): Statement {
  const { applied, order, failure } = row;
  return sql`(${row.deployment}, ${row.target}, ${row.name}, ${row.type}, ${row.isPlaced ? 1 : 0},
    ${row.isOnline ? 1 : 0}, ${applied?.revision ?? null}, ${applied?.hash ?? null}, ${order?.kind ?? null},
    ${order?.revision ?? null}, ${order?.batch ?? null}, ${order?.state ?? null}, ${order?.hash ?? null},
    ${order?.since ?? null}, ${failure === undefined ? null : JSON.stringify(failure)}, ${row.health},
    ${row.healthRevision}, ${row.healthMessage}, ${row.isOwed ? 1 : 0}, ${JSON.stringify(row.drift)},
    ${row.instance ?? null}, ${row.updateTime})`;
}

export function toDeploymentTarget(row: Row): DeploymentTarget {
  return {
    deployment: parseUuid(String(row['deployment'])),
    target: String(row['target']) as TargetId,
    name: String(row['name']),
    type: String(row['type']),
    isPlaced: row['is_placed'] === 1,
    isOnline: row['is_online'] === 1,
    applied:
      row['applied_revision'] === null
        ? undefined
        : { revision: Number(row['applied_revision']), hash: String(row['applied_hash']) },
    order: toOrder(row),
    failure: row['failure'] === null ? undefined : toFailure(String(row['failure'])),
    // A value written by a later release is treated as unknown.
    health: HEALTHS.find((health) => health === row['health']) ?? 'Unknown',
    healthRevision: Number(row['health_revision']),
    healthMessage: String(row['health_message']),
    isOwed: row['is_owed'] === 1,
    drift: row['drift'] === '[]' ? [] : (JSON.parse(String(row['drift'])) as string[]),
    instance: row['instance'] === null ? undefined : String(row['instance']),
    updateTime: Number(row['update_time']),
  };
}

function toOrder(row: Row): Order | undefined {
  if (row['order_kind'] === null) return undefined;
  return {
    kind: row['order_kind'] === 'remove' ? 'remove' : 'deliver',
    revision: Number(row['order_revision']),
    batch: Number(row['order_batch']),
    // An order in an unknown state may have arrived: it is sent again, and agents accept the same order twice.
    state: ORDER_STATES.find((state) => state === row['order_state']) ?? 'sent',
    ...(row['order_hash'] === null ? {} : { hash: String(row['order_hash']) }),
    since: Number(row['order_since']),
  };
}

function toFailure(text: string): NonNullable<DeploymentTarget['failure']> {
  const { reason, seen, ...rest } = JSON.parse(text) as NonNullable<DeploymentTarget['failure']>;
  const known = FAILURE_REASONS.find((each) => each === reason) ?? 'DeliveryFailed';
  return { ...rest, reason: known, ...(seen === undefined ? {} : { seen }) };
}
