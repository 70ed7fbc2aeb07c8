import type { Json } from '#kit/std';
import { FleetError, type Labels, parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import type { Condition } from '../domain/conditions.ts';
import type { Properties } from '../domain/properties.ts';
import { CONNECTION_STATES, LIFECYCLES, type Target, targetFaults } from '../domain/target.ts';
import { invalidTarget, TargetError } from '../domain/target-error.ts';

/** The columns of `toTarget`, by name: a release also has to run on the next release's table, which may have more columns. */
export const COLUMNS = sql.raw(
  `name, uid, type, workspace, workspace_path, labels, reported_labels, properties, reported_properties,
   manifest_types, lifecycle, connection_state, last_seen_time, conditions, generation, version, create_time, update_time,
   alias_of`,
);

/** The first text after all that begin with this path: '0' follows '/' in byte order. */
export function endOf(path: string): string {
  return `${path.slice(0, -1)}0`;
}

/** Runs the same checks as for user input, because a restored or repaired database can hold anything. */
export function toTarget(row: Row): Target {
  try {
    return checked({
      name: parseResourceName(String(row['name'])),
      uid: parseUuid(String(row['uid'])),
      type: String(row['type']),
      workspace: { name: parseResourceName(String(row['workspace'])), path: String(row['workspace_path']) },
      labels: toLabels(row, 'labels'),
      reportedLabels: toLabels(row, 'reported_labels'),
      properties: toObject(row, 'properties'),
      reportedProperties: toObject(row, 'reported_properties'),
      advertisedManifestTypes: toList(row, 'manifest_types').map(String),
      lifecycle: toOneOf(LIFECYCLES, row, 'lifecycle'),
      connection: {
        state: toOneOf(CONNECTION_STATES, row, 'connection_state'),
        lastSeenTime: row['last_seen_time'] === null ? undefined : Number(row['last_seen_time']),
      },
      conditions: toList(row, 'conditions').map(toCondition),
      generation: Number(row['generation']),
      version: Number(row['version']),
      createTime: Number(row['create_time']),
      updateTime: Number(row['update_time']),
      ...(row['alias_of'] === null ? {} : { aliasOf: parseResourceName(String(row['alias_of'])) }),
    });
  } catch (cause) {
    if (!(cause instanceof FleetError || cause instanceof SyntaxError)) throw cause;
    throw new TargetError('STORED_TARGET_INVALID', `read target ${String(row['name'])}`, { cause });
  }
}

function checked(target: Target): Target {
  const faults = targetFaults(target);
  if (!target.workspace.path.endsWith(`/${target.workspace.name}/`)) {
    faults.push({ path: '/workspace', message: `has the path ${target.workspace.path}` });
  }
  if (faults.length > 0) throw invalidTarget(faults);
  return target;
}

function toOneOf<T extends string>(known: readonly T[], row: Row, column: string): T {
  const found = known.find((each) => each === row[column]);
  if (found !== undefined) return found;
  throw invalidTarget([{ path: `/${column}`, message: `is ${String(row[column])}, which this release does not know` }]);
}

function toObject(row: Row, column: string): Properties {
  const raw = JSON.parse(String(row[column])) as Json;
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Properties;
  throw invalidTarget([{ path: `/${column}`, message: 'must be an object' }]);
}

function toLabels(row: Row, column: string): Labels {
  const raw = toObject(row, column);
  if (isLabels(raw)) return raw;
  throw invalidTarget([{ path: `/${column}`, message: 'must be an object of strings' }]);
}

function isLabels(raw: Properties): raw is Labels {
  return Object.values(raw).every((value) => typeof value === 'string');
}

function toList(row: Row, column: string): readonly Json[] {
  const raw = JSON.parse(String(row[column])) as Json;
  if (Array.isArray(raw)) return raw as readonly Json[];
  throw invalidTarget([{ path: `/${column}`, message: 'must be a list' }]);
}

/** Its status and texts are validated with the rest of the target. */
function toCondition(raw: Json): Condition {
  const its = (typeof raw === 'object' && raw !== null ? raw : {}) as Readonly<Record<string, unknown>>;
  return {
    type: String(its['type']),
    status: String(its['status']) as Condition['status'],
    reason: String(its['reason']),
    message: String(its['message']),
    lastTransitionTime: Number(its['lastTransitionTime']),
    observedGeneration: Number(its['observedGeneration']),
  };
}
