import { Secret } from '#kit/std';
import type { SealedPlace, Sealer } from '../application/ports.ts';
import type { ClientSecret, Issuer } from '../domain/issuer.ts';

const TABLE = 'identity_issuers';
const COLUMN = 'sealed_secret';

/** The sealed columns of this context, for key rotation. */
export const IDENTITY_SEALED_COLUMNS = [{ table: TABLE, keys: ['name'], column: COLUMN }] as const;

/** To be called before the transaction that stores it: sealing may have to fetch a key from elsewhere. */
export async function sealClientSecret(
  sealer: Sealer,
  { issuer, secret }: { readonly issuer: string; readonly secret: string | undefined },
  signal: AbortSignal,
): Promise<ClientSecret | undefined> {
  if (secret === undefined) return undefined;
  return { kind: 'sealed', text: await sealer.seal(new Secret(secret), placeOf(issuer), signal) };
}

export async function openClientSecret(
  sealer: Sealer,
  { name, clientSecret }: Issuer,
  signal: AbortSignal,
): Promise<Secret<string> | undefined> {
  if (clientSecret?.kind !== 'sealed') return clientSecret?.secret;
  return await sealer.open(clientSecret.text, placeOf(name), signal);
}

function placeOf(issuer: string): SealedPlace {
  return { table: TABLE, row: [issuer], column: COLUMN };
}
