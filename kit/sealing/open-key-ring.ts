import { type Clock, Secret } from '#kit/std';
import { type Storage, sql } from '#kit/storage';
import { FileKeyRing } from './file-key-ring.ts';
import { createKeyFile, missing, readKeyFile } from './key-file.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { Sealer } from './sealer.ts';

export interface KeyRingOptions {
  readonly file: string;
  /** With the tables of `SEALING_MIGRATIONS`. */
  readonly storage: Storage;
  readonly clock: Clock;
}

/**
 * Opens the keys of this database. The file is created on the first start, readable by its owner only. On later starts
 * it must exist, with every key that the database knows.
 */
export async function openKeyRing(options: KeyRingOptions, signal: AbortSignal): Promise<FileKeyRing> {
  const { file, storage, clock } = options;
  if (readKeyFile(file) === undefined) {
    if ((await witnesses(storage, signal)).length > 0) throw missing(file);
    createKeyFile(file, clock.now());
  }
  const ring = FileKeyRing.open(file);
  await checkKeys(storage, ring, signal);
  await registerKey({ storage, keys: ring, now: clock.now() }, signal);
  return ring;
}

export interface Registration {
  readonly storage: Storage;
  readonly keys: KeyWrapper;
  readonly now: number;
}

/** Records the active key in the database. Idempotent. */
export async function registerKey({ storage, keys, now }: Registration, signal: AbortSignal): Promise<void> {
  const id = await keys.activeId(signal);
  const witness = await new Sealer(keys).seal(new Secret(id), placeOf(id), signal);
  await storage.commit(
    [
      sql`INSERT INTO sealing_keys (id, witness, create_time) VALUES (${id}, ${witness}, ${now})
          ON CONFLICT (id) DO NOTHING`,
    ],
    signal,
  );
}

/** Throws `KEY_UNKNOWN` or `SEAL_BROKEN` unless the keys open everything that this database may hold. */
async function checkKeys(storage: Storage, keys: KeyWrapper, signal: AbortSignal): Promise<void> {
  const sealer = new Sealer(keys);
  for (const { id, witness } of await witnesses(storage, signal)) await sealer.open(witness, placeOf(id), signal);
}

type WitnessRow = { id: string; witness: string };

async function witnesses(storage: Storage, signal: AbortSignal): Promise<WitnessRow[]> {
  return await storage.all<WitnessRow>(sql`SELECT id, witness FROM sealing_keys ORDER BY create_time, id`, signal);
}

function placeOf(id: string) {
  return { table: 'sealing_keys', row: [id], column: 'witness' };
}
