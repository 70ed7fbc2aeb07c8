import { type Statement, type Storage, sql, type Transaction } from '#kit/storage';
import type { AppliedDeltas, IndexStore, TargetDelta } from '../../application/sink/ports.ts';
import { BUCKETS, bucketOf } from '../../domain/bucket.ts';
import { type GatheredDeltas, gatherDeltas, saneBuckets, saneReports } from '../../domain/gathered-deltas.ts';
import { DIGEST_SPACE } from '../../domain/hash48.ts';
import type { HeldObject, IndexAsk, TypeDigest, TypeReport } from '../../domain/index-message.ts';
import { type IndexedObject, keyText, type ObjectKey } from '../../domain/indexed-object.ts';

export interface SqlIndexStoreDeps {
  readonly storage: Pick<Storage, 'all' | 'write'>;
  /** Which of these targets exist, in the given transaction. */
  readonly existing: (tx: Transaction, uids: readonly string[], signal: AbortSignal) => Promise<ReadonlySet<string>>;
}

/** Within the number of values that one statement may have on both engines. */
const ROWS = 500;
const HELD_AT_ONCE = 5_000;
const COLUMNS = sql.raw(
  'target, type, namespace, name, uid, health, deployment, content, bucket, digest, expire_time, update_time',
);
const UPDATES = sql.raw(
  ['uid', 'health', 'deployment', 'content', 'bucket', 'digest', 'expire_time', 'update_time']
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
);
const SPACE = sql.raw(String(DIGEST_SPACE));

/** For both engines. */
export class SqlIndexStore implements IndexStore {
  readonly #deps: SqlIndexStoreDeps;

  constructor(deps: SqlIndexStoreDeps) {
    this.#deps = deps;
  }

  async apply(deltas: readonly TargetDelta[], now: number, signal: AbortSignal): Promise<AppliedDeltas> {
    const gathered = [...Map.groupBy(deltas, ({ target }) => target)].map(([target, some]) => {
      return { target, ...gatherDeltas(some.map(({ delta }) => delta)) };
    });
    return await this.#deps.storage.write(async (tx) => {
      const uids = gathered.map(({ target }) => target);
      const existing = await this.#deps.existing(tx, uids, signal);
      const kept = gathered.filter(({ target }) => existing.has(target));
      const statements = kept.flatMap((each) => statementsOf(each, now));
      if (statements.length > 0) await tx.batch(statements);
      return {
        put: sum(kept.map(({ put }) => put.length)),
        deleted: sum(kept.map(({ deleted }) => deleted.length)),
        refused: sum(kept.map(({ refused }) => refused)),
      };
    }, signal);
  }

  async digests(target: string, now: number, signal: AbortSignal): Promise<readonly TypeDigest[]> {
    const rows = await this.#deps.storage.all<{ type: string; bucket: number; total: number }>(
      sql`SELECT type, bucket, CAST(SUM(digest) % ${SPACE} AS BIGINT) AS total FROM index_objects
        WHERE target = ${target} AND (expire_time IS NULL OR expire_time > ${now}) GROUP BY type, bucket`,
      signal,
    );
    return [...Map.groupBy(rows, ({ type }) => type)].map(([type, buckets]) => {
      const sums = Array.from<number>({ length: BUCKETS }).fill(0);
      for (const { bucket, total } of buckets) sums[bucket] = total;
      return { type, sums };
    });
  }

  async held(
    target: string,
    { type, buckets }: Pick<IndexAsk, 'type' | 'buckets'>,
    signal: AbortSignal,
  ): Promise<readonly (readonly HeldObject[])[]> {
    const rows = await this.#deps.storage.all<{ namespace: string; name: string; digest: number }>(
      sql`SELECT namespace, name, digest FROM index_objects
        WHERE target = ${target} AND type = ${type} AND bucket IN (${sql.list(saneBuckets(buckets))})`,
      signal,
    );
    return rows.length === 0 ? [[]] : inParts(rows, HELD_AT_ONCE);
  }

  async report(
    target: string,
    { types, now }: { readonly types: readonly TypeReport[]; readonly now: number },
    signal: AbortSignal,
  ): Promise<void> {
    const sane = saneReports(types);
    await this.#deps.storage.write(async (tx) => {
      const existing = await this.#deps.existing(tx, [target], signal);
      if (!existing.has(target)) return;
      await tx.batch([
        sql`DELETE FROM index_types WHERE target = ${target}`,
        ...inParts(sane, ROWS).map((some) => {
          const rows = some.map(({ type, state, message, objects }) => {
            return sql`(${target}, ${type}, ${state}, ${message}, ${objects}, ${now})`;
          });
          return sql`INSERT INTO index_types (target, type, state, message, objects, update_time) VALUES ${sql.list(rows)}`;
        }),
      ]);
    }, signal);
  }
}

/** Deletes the index of a target, together with the target. */
export function forgetTarget(target: string): readonly Statement[] {
  return [
    sql`DELETE FROM index_objects WHERE target = ${target}`,
    sql`DELETE FROM index_types WHERE target = ${target}`,
  ];
}

type Gathered = GatheredDeltas & { readonly target: string };

function statementsOf({ target, droppedTypes, put, deleted }: Gathered, now: number): Statement[] {
  return [
    ...inParts(droppedTypes, ROWS).map(
      (some) => sql`DELETE FROM index_objects WHERE target = ${target} AND type IN (${sql.list(some)})`,
    ),
    ...deletions(target, deleted),
    ...inParts(put, ROWS).map((some) => upsert(target, some, now)),
  ];
}

function upsert(target: string, objects: readonly IndexedObject[], now: number): Statement {
  const rows = objects.map(({ key, uid, health, deployment, content, digest, expireTime }) => {
    const { type, namespace, name } = key;
    const end = expireTime === 0 ? null : expireTime;
    const bucket = bucketOf(keyText(key));
    return sql`(${target}, ${type}, ${namespace}, ${name}, ${uid}, ${health}, ${deployment}, ${content}, ${bucket},
      ${digest}, ${end}, ${now})`;
  });
  return sql`INSERT INTO index_objects (${COLUMNS}) VALUES ${sql.list(rows)}
    ON CONFLICT (target, type, namespace, name) DO UPDATE SET ${UPDATES}`;
}

function deletions(target: string, keys: readonly ObjectKey[]): Statement[] {
  const groups = Map.groupBy(keys, ({ type, namespace }) => `${type}\n${namespace}`);
  return [...groups.values()].flatMap((group) =>
    inParts(group, ROWS).map((some) => {
      const [{ type, namespace } = { type: '', namespace: '' }] = some;
      const names = sql.list(some.map(({ name }) => name));
      return sql`DELETE FROM index_objects
        WHERE target = ${target} AND type = ${type} AND namespace = ${namespace} AND name IN (${names})`;
    }),
  );
}

function inParts<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
