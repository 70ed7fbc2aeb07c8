import type { Json, JsonObject } from '#kit/std';
import { FleetError, type Labels, labelFaults, parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import {
  type Deployment,
  type DeploymentOwner,
  type DeploymentSpec,
  ROLLOUT_STATES,
} from '../../domain/deployment/deployment.ts';
import { DeploymentError, invalidDeployment } from '../../domain/deployment/deployment-error.ts';
import type { DeploymentStatus } from '../../domain/deployment/status/deployment-status.ts';
import { isObject } from '../../domain/manifest/json.ts';

/**
 * The columns that `toDeployment` reads, by name: during an upgrade a release also runs on the table of the next one,
 * which may have more columns.
 */
export const COLUMNS = sql.raw(
  `uid, name, workspace, workspace_path, labels, spec, rollout_state, owner_group, owner_child, deletion, generation,
   observed_generation, revision, rollout, status, version, create_time, update_time`,
);

/**
 * The same for queries. Earlier versions followed agents to any revision, and a revision beyond the safe integers would
 * make the whole page unreadable. Such a deployment is shown, and can only be abandoned.
 */
export const READ_COLUMNS = sql.raw(
  `uid, name, workspace, workspace_path, labels, spec, rollout_state, owner_group, owner_child, deletion, generation,
   observed_generation, ${exact('revision')}, ${exact('rollout')}, status, version, create_time, update_time`,
);

function exact(column: string): string {
  const last = Number.MAX_SAFE_INTEGER;
  return `CASE WHEN ${column} > ${last} THEN ${last} ELSE ${column} END AS ${column}`;
}

/** A restored or repaired database can hold anything, so invalid rows are refused. */
export function toDeployment(row: Row): Deployment {
  try {
    return checked({
      uid: parseUuid(String(row['uid'])),
      name: parseResourceName(String(row['name'])),
      workspace: { name: parseResourceName(String(row['workspace'])), path: String(row['workspace_path']) },
      labels: toObject(row, 'labels') as Labels,
      spec: toObject(row, 'spec') as unknown as DeploymentSpec,
      rolloutState: toRolloutState(row),
      owner: toOwner(row),
      deletion: row['deletion'] === null ? undefined : (toObject(row, 'deletion') as unknown as Deployment['deletion']),
      generation: Number(row['generation']),
      observedGeneration: Number(row['observed_generation']),
      revision: Number(row['revision']),
      rollout: row['rollout'] === null ? undefined : Number(row['rollout']),
      status: toObject(row, 'status') as unknown as DeploymentStatus,
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
    });
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new DeploymentError('STORED_DEPLOYMENT_INVALID', `The stored deployment ${String(row['name'])} is invalid.`, {
      cause,
    });
  }
}

/** Checked as deep as the code relies on it. The strategies validate the contents of a spec themselves. */
function checked(deployment: Deployment): Deployment {
  const { workspace, labels, spec, status } = deployment;
  const faults = Object.values(labels).every((value) => typeof value === 'string')
    ? labelFaults(labels)
    : [LABEL_FAULT];
  if (!workspace.path.endsWith(`/${workspace.name}/`)) {
    faults.push({ path: '/workspace', message: `has the path ${workspace.path}` });
  }
  const isSpec = isTyped(spec.manifest) && isTyped(spec.rollout) && Array.isArray(spec.placement);
  if (!isSpec || !spec.placement.every(isTyped)) faults.push({ path: '/spec', message: 'is not that of a deployment' });
  if (!Array.isArray(status.conditions) || !isObject(status.counts as unknown as Json)) {
    faults.push({ path: '/status', message: 'is not that of a deployment' });
  }
  if (faults.length > 0) throw invalidDeployment(faults);
  return deployment;
}

const LABEL_FAULT = { path: '/labels', message: 'must be an object of strings' };

function isTyped(spec: unknown): boolean {
  return isObject(spec as Json) && typeof (spec as { type?: unknown }).type === 'string';
}

function toRolloutState(row: Row): Deployment['rolloutState'] {
  const found = ROLLOUT_STATES.find((state) => state === row['rollout_state']);
  if (found !== undefined) return found;
  const message = `is ${String(row['rollout_state'])}, which this release does not know`;
  throw invalidDeployment([{ path: '/rolloutState', message }]);
}

function toOwner(row: Row): DeploymentOwner | undefined {
  if (row['owner_group'] === null) return undefined;
  return { group: parseUuid(String(row['owner_group'])), child: String(row['owner_child']) };
}

function toObject(row: Row, column: string): JsonObject {
  const raw = JSON.parse(String(row[column])) as Json;
  if (isObject(raw)) return raw;
  throw invalidDeployment([{ path: `/${column}`, message: 'must be an object' }]);
}
