import type { SealedColumn, SealedPlace, Sealer } from '#kit/sealing';
import type { Json } from '#kit/std';
import { inPieces, Secret } from '#kit/std';
import { type Statement, sql, type Transaction } from '#kit/storage';
import type { Document } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { ContentStore, RolloutKey } from '../../application/ports.ts';
import type { DeploymentId } from '../../domain/deployment/deployment.ts';
import type { Payload } from '../../domain/manifest/payload.ts';
import { referencesIn } from '../../domain/manifest/secret-references.ts';
import { CONTENT_HOLDER, contentHolder, recordUses } from '../secret-uses.ts';
import { SqlStore } from './sql-store.ts';

/** Within the limit of values per statement on both engines. */
const ROWS = 1_000;
/** Documents are large, so fewer of them go into one statement. */
const DOCUMENT_ROWS = 200;

const TABLE = 'content_secrets';

/** The sealed columns, for key rotation. */
export const ORCHESTRATION_SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: TABLE, keys: ['reference'], column: 'sealed' },
];

/**
 * DECISION: secrets are sealed within the transaction, but only those not stored yet, and all of them at once. Nearly all
 * are stored already and cost only a lookup, and no sealed texts have to be passed through the layers above.
 */
export class SqlContentStore extends SqlStore implements ContentStore {
  readonly #sealer: Pick<Sealer, 'seal' | 'open'>;

  constructor(tx: Transaction, sealer: Pick<Sealer, 'seal' | 'open'>) {
    super(tx);
    this.#sealer = sealer;
  }

  async keep(payloads: readonly Payload[], signal: AbortSignal): Promise<void> {
    const given = new Map(payloads.map((payload) => [payload.hash, payload]));
    const known = new Set(await this.#known({ table: 'contents', key: 'hash', values: [...given.keys()] }, signal));
    const fresh = [...given.values()].filter(({ hash }) => !known.has(hash));
    if (fresh.length === 0) return;
    const secrets = Object.fromEntries(fresh.flatMap((payload) => Object.entries(payload.secrets)));
    const sealed = await this.#sealUnknown(secrets, signal);
    const uses = fresh.flatMap(({ hash, documents }) =>
      referencesIn(documents).map((reference) => ({ reference, holder: contentHolder(hash) })),
    );
    await this.tx.batch([...insertContents(fresh), ...sealed, ...recordUses(uses)]);
  }

  async find(
    hashes: readonly string[],
    { withSecrets }: { readonly withSecrets: boolean },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Payload>> {
    const found = new Map<string, readonly Document[]>();
    for (const some of inPieces([...new Set(hashes)], ROWS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(sql`SELECT hash, documents FROM contents WHERE hash IN (${sql.list(some)})`);
      for (const row of rows) found.set(String(row['hash']), JSON.parse(String(row['documents'])) as Document[]);
    }
    const opened = withSecrets ? await this.openSecrets(referencesIn([...found.values()]), signal) : {};
    return new Map([...found].map(([hash, documents]) => [hash, payloadWith(hash, documents, opened)]));
  }

  async assign(
    { deployment, revision }: RolloutKey,
    contents: ReadonlyMap<TargetId, string | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const statements = inPieces([...contents], ROWS).map((some) => {
      const rows = some.map(([target, hash]) => sql`(${deployment}, ${target}, ${revision}, ${hash ?? null})`);
      return sql`INSERT INTO revision_contents (deployment, target, revision, hash) VALUES ${sql.list(rows)}
        ON CONFLICT (deployment, target, revision) DO UPDATE SET hash = excluded.hash`;
    });
    if (statements.length > 0) await this.tx.batch(statements);
  }

  /** The latest row of each target up to the revision: it is valid until the next one. */
  async at({ deployment, revision }: RolloutKey, signal: AbortSignal): Promise<ReadonlyMap<TargetId, string>> {
    signal.throwIfAborted();
    const rows = await this.tx.all(sql`
      SELECT held.target, held.hash
      FROM (
        SELECT target, MAX(revision) AS revision FROM revision_contents
        WHERE deployment = ${deployment} AND revision <= ${revision} GROUP BY target
      ) AS latest
      JOIN revision_contents AS held
        ON held.deployment = ${deployment} AND held.target = latest.target AND held.revision = latest.revision
      WHERE held.hash IS NOT NULL`);
    return new Map(rows.map((row) => [String(row['target']) as TargetId, String(row['hash'])]));
  }

  async referencesOn(
    { deployments, targets }: { readonly deployments: readonly DeploymentId[]; readonly targets: readonly TargetId[] },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<DeploymentId, readonly string[]>> {
    const found = new Map<DeploymentId, Set<string>>();
    for (const some of inPieces(deployments, ROWS)) {
      for (const those of inPieces(targets, ROWS)) {
        signal.throwIfAborted();
        const rows = await this.tx.all(sql`
          SELECT DISTINCT given.deployment, used.reference
          FROM revision_contents AS given
          JOIN content_secret_uses AS used ON used.holder = ${CONTENT_HOLDER} || given.hash
          WHERE given.deployment IN (${sql.list(some)}) AND given.target IN (${sql.list(those)})`);
        for (const row of rows) {
          const deployment = String(row['deployment']) as DeploymentId;
          found.set(deployment, (found.get(deployment) ?? new Set()).add(String(row['reference'])));
        }
      }
    }
    return new Map([...found].map(([deployment, references]) => [deployment, [...references].sort()]));
  }

  async keepSecrets(secrets: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<void> {
    const sealed = await this.#sealUnknown(secrets, signal);
    if (sealed.length > 0) await this.tx.batch(sealed);
  }

  async openSecrets(references: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, Json>>> {
    const opened: [string, Json][] = [];
    for (const some of inPieces([...new Set(references)], ROWS)) {
      signal.throwIfAborted();
      const rows = await this.tx.all(
        sql`SELECT reference, sealed FROM content_secrets WHERE reference IN (${sql.list(some)})`,
      );
      opened.push(...(await Promise.all(rows.map((row) => this.#open(row, signal)))));
    }
    return Object.fromEntries(opened);
  }

  async #open(row: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<[string, Json]> {
    const reference = String(row['reference']);
    const secret = await this.#sealer.open(String(row['sealed']), placeOf(reference), signal);
    return [reference, JSON.parse(secret.reveal()) as Json];
  }

  async #sealUnknown(secrets: Readonly<Record<string, Json>>, signal: AbortSignal): Promise<readonly Statement[]> {
    const references = Object.keys(secrets);
    const known = new Set(await this.#known({ table: TABLE, key: 'reference', values: references }, signal));
    const unknown = Object.entries(secrets).filter(([reference]) => !known.has(reference));
    const sealed = await Promise.all(
      unknown.map(async ([reference, value]) => {
        const text = await this.#sealer.seal(new Secret(JSON.stringify(value)), placeOf(reference), signal);
        return sql`(${reference}, ${text})`;
      }),
    );
    return inPieces(sealed, ROWS).map(
      (rows) => sql`INSERT INTO content_secrets (reference, sealed) VALUES ${sql.list(rows)} ON CONFLICT DO NOTHING`,
    );
  }

  async #known(
    { table, key, values }: { readonly table: string; readonly key: string; readonly values: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const known: string[] = [];
    for (const some of inPieces(values, ROWS)) {
      signal.throwIfAborted();
      const [name, source] = [sql.raw(key), sql.raw(table)];
      const rows = await this.tx.all(sql`SELECT ${name} FROM ${source} WHERE ${name} IN (${sql.list(some)})`);
      known.push(...rows.map((row) => String(row[key])));
    }
    return known;
  }
}

function insertContents(payloads: readonly Payload[]): readonly Statement[] {
  return inPieces(payloads, DOCUMENT_ROWS).map((some) => {
    const rows = some.map(({ hash, documents }) => sql`(${hash}, ${JSON.stringify(documents)})`);
    return sql`INSERT INTO contents (hash, documents) VALUES ${sql.list(rows)} ON CONFLICT DO NOTHING`;
  });
}

/** With the opened secrets that it refers to. */
function payloadWith(hash: string, documents: readonly Document[], opened: Readonly<Record<string, Json>>): Payload {
  const own = referencesIn(documents).flatMap((reference) => {
    const secret = Object.hasOwn(opened, reference) ? opened[reference] : undefined;
    return secret === undefined ? [] : [[reference, secret] as const];
  });
  return { hash, documents, secrets: Object.fromEntries(own) };
}

function placeOf(reference: string): SealedPlace {
  return { table: TABLE, row: [reference], column: 'sealed' };
}
