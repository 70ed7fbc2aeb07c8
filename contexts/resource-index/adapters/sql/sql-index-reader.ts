import type { ResourceName } from '#kit/std';
import { keyset, type Reader, type Storage, sql } from '#kit/storage';
import { TYPE_STATES, type TypeReport } from '../../domain/index-message.ts';
import { OBJECT_HEALTHS, type ObjectHealth } from '../../domain/index-schema.ts';
import type { IndexSchema } from '../../domain/index-schema-resource.ts';
import type { IndexedContent, ObjectKey } from '../../domain/indexed-object.ts';
import { ResourceIndexError } from '../../domain/resource-index-error.ts';
import { SCHEMA_COLUMNS, toIndexSchema } from './schema-row.ts';
import { allSchemas, findSchema } from './sql-schema-store.ts';

export interface StoredObject {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly health: ObjectHealth;
  readonly deployment: string;
  readonly content: IndexedContent;
  readonly expireTime: number | undefined;
  readonly updateTime: number;
}

export interface ObjectRange {
  readonly type: string | undefined;
  readonly namespace: string | undefined;
  readonly now: number;
  /** Type, namespace and name. */
  readonly after: readonly [string, string, string] | undefined;
  readonly limit: number;
}

export interface StoredReport extends TypeReport {
  readonly updateTime: number;
}

/** Totals over all targets. */
export interface TypeCount {
  readonly type: string;
  readonly state: string;
  readonly targets: number;
  readonly objects: number;
}

/** Agents choose the type names, so the number of metric series has to be bounded. */
const COUNTED = 500;

/** Reads committed data. Never waits for a writer. */
export class SqlIndexReader {
  readonly #storage: Pick<Storage, 'all' | 'get' | 'read'>;

  constructor(storage: Pick<Storage, 'all' | 'get' | 'read'>) {
    this.#storage = storage;
  }

  async schema(workspace: ResourceName, name: ResourceName, signal: AbortSignal): Promise<IndexSchema | undefined> {
    return await this.#storage.read((reader) => findSchema(reader, { workspace, name }), signal);
  }

  async allSchemas(signal: AbortSignal): Promise<readonly IndexSchema[]> {
    return await this.#storage.read((reader) => allSchemas(reader), signal);
  }

  async schemas(
    workspace: ResourceName,
    { after, limit }: { readonly after: string | undefined; readonly limit: number },
    signal: AbortSignal,
  ): Promise<readonly IndexSchema[]> {
    const page = keyset({ columns: ['name'], after: after === undefined ? undefined : [after], limit });
    const rows = await this.#storage.all(
      sql`SELECT ${SCHEMA_COLUMNS} FROM index_schemas WHERE workspace = ${workspace} AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toIndexSchema);
  }

  /** Ordered by type, namespace and name. */
  async objects(target: string, range: ObjectRange, signal: AbortSignal): Promise<readonly StoredObject[]> {
    const { type, namespace, now, after, limit } = range;
    const page = keyset({ columns: ['type', 'namespace', 'name'], after, limit });
    const ofType = type === undefined ? sql`1 = 1` : sql`type = ${type}`;
    const inNamespace = namespace === undefined ? sql`1 = 1` : sql`namespace = ${namespace}`;
    const rows = await this.#storage.all(
      sql`SELECT type, namespace, name, uid, health, deployment, content, expire_time, update_time FROM index_objects
        WHERE target = ${target} AND ${ofType} AND ${inNamespace} AND (expire_time IS NULL OR expire_time > ${now})
          AND ${page.where} ${page.tail}`,
      signal,
    );
    return rows.map(toObject);
  }

  async reports(target: string, signal: AbortSignal): Promise<readonly StoredReport[]> {
    const rows = await this.#storage.all(
      sql`SELECT type, state, message, objects, update_time FROM index_types WHERE target = ${target} ORDER BY type`,
      signal,
    );
    return rows.map((row) => ({
      type: String(row['type']),
      state: TYPE_STATES.find((state) => state === row['state']) ?? 'Troubled',
      message: String(row['message']),
      objects: Number(row['objects']),
      updateTime: Number(row['update_time']),
    }));
  }

  async counts(signal: AbortSignal): Promise<readonly TypeCount[]> {
    const rows = await this.#storage.all(
      sql`SELECT type, state, count(*) AS targets, CAST(SUM(objects) AS BIGINT) AS objects FROM index_types
        GROUP BY type, state ORDER BY objects DESC, type, state LIMIT ${COUNTED}`,
      signal,
    );
    return rows.map((row) => ({
      type: String(row['type']),
      state: String(row['state']),
      targets: Number(row['targets']),
      objects: Number(row['objects']),
    }));
  }
}

function toObject(row: Readonly<Record<string, unknown>>): StoredObject {
  const key = { type: String(row['type']), namespace: String(row['namespace']), name: String(row['name']) };
  const end = row['expire_time'];
  return {
    key,
    uid: String(row['uid']),
    health: OBJECT_HEALTHS.find((health) => health === row['health']) ?? 'Unknown',
    deployment: String(row['deployment']),
    content: contentOf(String(row['content']), key),
    expireTime: end === null ? undefined : Number(end),
    updateTime: Number(row['update_time']),
  };
}

function contentOf(text: string, { type, name }: ObjectKey): IndexedContent {
  try {
    return JSON.parse(text) as IndexedContent;
  } catch (cause) {
    throw new ResourceIndexError('STORED_INDEX_INVALID', `read the index entry of ${type} ${name}`, { cause });
  }
}

/** The number of stored objects of each target that has any, answered from an index of the table alone. */
export async function indexRowCounts(reader: Reader): Promise<readonly { target: string; stored: number }[]> {
  const found = await reader.all(sql`SELECT target, count(*) AS stored FROM index_objects GROUP BY target`);
  return found.map(({ target, stored }) => ({ target: String(target), stored: Number(stored) }));
}
