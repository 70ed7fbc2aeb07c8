import { createEmbeddedEngine, DURABLE_MIGRATIONS } from '#kit/durable/embedded';
import { openPostgres, openSqlite, type Storage } from '#kit/storage';
import { LEASE_MIGRATIONS } from '#kit/storage/leases';
import { PATIENCE_MS } from '#testing/patience';
import { alteredStorage } from '../../../storage/outbox/testing/altered-storage.ts';
import type { Boundaries } from './boundaries.ts';
import { runExecutor } from './run-executor.ts';

const MODULES = [LEASE_MIGRATIONS, DURABLE_MIGRATIONS];

export type EmbeddedPlace = { readonly leaseMs?: number } & (
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string }
);

await runExecutor(async ({ registry, place, boundaries, tell }) => {
  const { leaseMs, ...where } = place as EmbeddedPlace;
  const storage = dying(await open(where), boundaries);
  return createEmbeddedEngine({
    storage,
    registry,
    onFact: ({ kind }) => {
      if (kind === 'leading' || kind === 'interrupted') tell({ kind });
    },
    ...(leaseMs !== undefined && { leaseMs }),
  });
});

async function open(place: EmbeddedPlace): Promise<Storage> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (place.engine === 'sqlite') return await openSqlite({ file: place.file, modules: MODULES }, signal);
  return await openPostgres({ url: place.url, modules: MODULES }, signal);
}

function dying(storage: Storage, boundaries: Boundaries): Storage {
  return alteredStorage(storage, {
    commit: (batch, signal) => boundaries.write(() => storage.commit(batch, signal)),
    write: (body, signal) => boundaries.write(() => storage.write(body, signal)),
  });
}
