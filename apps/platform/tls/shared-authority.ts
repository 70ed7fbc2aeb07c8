import type { Sealer } from '#kit/sealing';
import type { Clock } from '#kit/std';
import type { Storage } from '#kit/storage';
import { findInstanceSecret, instanceSecret } from '#runtime/instance/instance-secret';
import { type AuthorityPem, firstAuthority } from './own-certificate.ts';

export interface SharedAuthorityDeps {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly tlsFolder: string;
  readonly clock: Clock;
}

const NAME = 'server-authority';

/**
 * The authority that signs the server certificates of all replicas, sealed in the database, so that a client that trusts
 * one replica trusts all of them. `undefined` on SQLite: a platform alone keeps its own in the data folder, unless its
 * database was restored from a backup of replicas.
 */
export async function sharedAuthority(
  { storage, sealer, tlsFolder, clock }: SharedAuthorityDeps,
  signal: AbortSignal,
): Promise<AuthorityPem | undefined> {
  if (storage.engine === 'sqlite') {
    const restored = await findInstanceSecret({ storage, sealer }, NAME, signal);
    return restored && authorityIn(restored);
  }
  const make = (): Uint8Array => Buffer.from(JSON.stringify(firstAuthority(tlsFolder, clock.now())));
  const sealed = await instanceSecret({ storage, sealer }, NAME, signal, make);
  return authorityIn(sealed);
}

function authorityIn(sealed: Uint8Array): AuthorityPem {
  return JSON.parse(Buffer.from(sealed).toString('utf8')) as AuthorityPem;
}
