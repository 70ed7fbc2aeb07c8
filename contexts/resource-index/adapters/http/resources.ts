import { etagOf } from '#kit/http';
import { parseDuration } from '#kit/std';
import type { IndexedObjectResource, IndexSchemaResource, PutIndexSchema, TargetIndexResource } from '#protocol/api';
import type { Check, EffectiveSchema, IndexedKind, IndexSchemaSpec } from '../../domain/index-schema.ts';
import type { IndexSchema } from '../../domain/index-schema-resource.ts';
import type { StoredObject, StoredReport } from '../sql/sql-index-reader.ts';

export function schemaResource(schema: IndexSchema): IndexSchemaResource {
  const { name, uid, workspace, targetType, kinds, version } = schema;
  return {
    name,
    uid,
    workspace: workspace.name,
    targetType,
    kinds: kinds.map(kindResource),
    createTime: timeText(schema.createTime),
    updateTime: timeText(schema.updateTime),
    generation: version,
    observedGeneration: version,
    etag: etagOf(schema),
  };
}

/** Converts a request body to the domain's schema. */
export function specOf({ targetType, kinds }: PutIndexSchema): IndexSchemaSpec {
  return {
    targetType,
    kinds: kinds.map(({ type, fields = [], health = [], only = [], expiry }) => ({
      type,
      fields,
      health,
      only,
      expiry: expiry && { afterMs: parseDuration(expiry.after), from: expiry.from },
    })),
  };
}

export function objectResource(object: StoredObject): IndexedObjectResource {
  const { key, uid, health, deployment, content, expireTime, updateTime } = object;
  const { labels, owners, conditions, fields, createTime, isCut } = content;
  return {
    kind: key.type,
    ...(key.namespace === '' ? {} : { namespace: key.namespace }),
    name: key.name,
    uid,
    health,
    ...(deployment === '' ? {} : { deployment }),
    labels: { ...labels },
    owners: owners.map(({ type, name, uid: its }) => ({ type, name, uid: its })),
    conditions: conditions.map(({ type, status, reason }) => ({ type, status, reason })),
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)])),
    ...(isCut === undefined ? {} : { cut: isCut }),
    ...(createTime === undefined ? {} : { createTime: timeText(createTime) }),
    ...(expireTime === undefined ? {} : { expireTime: timeText(expireTime) }),
    updateTime: timeText(updateTime),
  };
}

/** The effective schema of a target, with the state of each kind. */
export function targetIndexResource(
  { revision, kinds }: EffectiveSchema,
  reports: readonly StoredReport[],
): TargetIndexResource {
  const said = new Map(reports.map((report) => [report.type, report]));
  return {
    schemaRevision: revision,
    kinds: kinds.map((kind) => {
      const report = said.get(kind.type);
      return {
        ...kindResource(kind),
        ...(report === undefined ? {} : reportFields(report)),
      };
    }),
  };
}

function reportFields({ state, message, objects, updateTime }: StoredReport) {
  return { state, ...(message === '' ? {} : { message }), objects, updateTime: timeText(updateTime) };
}

function kindResource({ type, fields, health, only, expiry }: IndexedKind): IndexSchemaResource['kinds'][number] {
  return {
    type,
    fields: fields.map(({ name, path, type: its }) => ({ name, path, type: its })),
    health: health.map((rule) => ({ health: rule.health, when: rule.when.map(checkResource) })),
    only: only.map(checkResource),
    ...(expiry === undefined ? {} : { expiry: { after: durationText(expiry.afterMs), from: [...expiry.from] } }),
  };
}

function checkResource({ path, in: values, exists, below }: Check) {
  if (values !== undefined) return { path, in: [...values] };
  return exists === undefined ? { path, below: below ?? '' } : { path, exists };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In a single unit, as durations are entered, so that a schema that was read can be put again. */
function durationText(ms: number): string {
  if (ms % DAY === 0) return `${ms / DAY}d`;
  return ms % HOUR === 0 && ms < 100 * HOUR ? `${ms / HOUR}h` : `${Math.round(ms / MINUTE)}m`;
}

function shown(value: StoredObject['content']['fields'][string]): string | number | boolean | string[] {
  return typeof value === 'object' ? [...value] : value;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
