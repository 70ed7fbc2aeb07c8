import { randomBytes } from 'node:crypto';
import type { SealedColumn, Sealer } from '#kit/sealing';
import { Secret } from '#kit/std';
import { type MigrationModule, type Storage, sql } from '#kit/storage';

const TABLES = `
CREATE TABLE instance_secrets (name KEYTEXT PRIMARY KEY, sealed TEXT NOT NULL);
CREATE TABLE instance_marks (name KEYTEXT PRIMARY KEY, time BIGINT NOT NULL);`;

/** Secrets that an instance created for itself, shared by all its processes, and marks that a command leaves for them. */
export const INSTANCE_SECRET_MIGRATIONS: MigrationModule = {
  module: 'instance',
  migrations: [{ number: 1, name: 'secrets and marks', compatibleFrom: 0, up: TABLES }],
};

export const INSTANCE_SECRET_COLUMNS: readonly SealedColumn[] = [
  { table: 'instance_secrets', keys: ['name'], column: 'sealed' },
];

const BYTES = 32;

interface Opened {
  readonly storage: Storage;
  readonly sealer: Sealer;
}

/**
 * 256 bits, or what `make` returns, never changed. If two processes start for the first time at once, the first commit
 * wins.
 */
export async function instanceSecret(
  opened: Opened,
  name: string,
  signal: AbortSignal,
  make: () => Uint8Array = () => randomBytes(BYTES),
): Promise<Uint8Array> {
  const { storage, sealer } = opened;
  const existing = await findInstanceSecret(opened, name, signal);
  if (existing !== undefined) return existing;
  const sealed = await sealer.seal(new Secret(Buffer.from(make()).toString('base64')), placeOf(name), signal);
  const insert = sql`INSERT INTO instance_secrets (name, sealed) VALUES (${name}, ${sealed}) ON CONFLICT (name) DO NOTHING`;
  await storage.commit([insert], signal);
  const made = await findInstanceSecret(opened, name, signal);
  if (made === undefined) throw new TypeError(`the secret ${name} is missing right after it was written`);
  return made;
}

export async function findInstanceSecret(
  { storage, sealer }: Opened,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const select = sql`SELECT sealed FROM instance_secrets WHERE name = ${name}`;
  const row = await storage.get<{ sealed: string }>(select, signal);
  return row && Buffer.from((await sealer.open(row.sealed, placeOf(name), signal)).reveal(), 'base64');
}

function placeOf(name: string) {
  return { table: 'instance_secrets', row: [name], column: 'sealed' };
}
