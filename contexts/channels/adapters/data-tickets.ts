import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { DataTickets } from '../application/data/data-routes.ts';
import type { DataTicket } from '../domain/data-ticket.ts';

/** Keeps any other JWS signed with the same key from being accepted as a ticket. */
const TYPE = 'fleetshift-ticket';
const ALGORITHM = 'EdDSA';
const SEED_BYTES = 32;
/** A PKCS #8 private key for Ed25519, up to the 32 bytes of the key itself. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Tickets as JWS, signed with the Ed25519 key given by these 32 bytes. */
export function createDataTickets(seed: Uint8Array): DataTickets {
  if (seed.length !== SEED_BYTES) throw new TypeError(`an Ed25519 key has ${SEED_BYTES} bytes, not ${seed.length}`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = JSON.stringify(createPublicKey(key).export({ format: 'jwk' }));
  return {
    publicKey,
    sign: async ({ channel, source, destination, expires }) => {
      const { CompactSign } = await import('jose');
      const claims = Buffer.from(JSON.stringify({ channel, sub: source, aud: destination, exp: expires / 1_000 }));
      const header = { alg: ALGORITHM, typ: TYPE };
      return Buffer.from(await new CompactSign(claims).setProtectedHeader(header).sign(key));
    },
    read: (ticket) => readDataTicket(ticket, publicKey),
  };
}

/**
 * Verifies only the signature and the type; `undefined` when they do not match. Purpose and expiry are checked by the caller.
 */
export async function readDataTicket(ticket: Uint8Array, publicKey: string): Promise<DataTicket | undefined> {
  // Large, and not needed by a fleetlet without data channels.
  const { compactVerify, importJWK } = await import('jose');
  try {
    const key = await importJWK(JSON.parse(publicKey), ALGORITHM);
    const { payload, protectedHeader } = await compactVerify(ticket, key, { algorithms: [ALGORITHM] });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString());
    return protectedHeader.typ === TYPE ? ticketIn(claims) : undefined;
  } catch {
    return undefined;
  }
}

function ticketIn(claims: unknown): DataTicket | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { channel, sub: source, aud: destination, exp } = claims as Readonly<Record<string, unknown>>;
  if (typeof channel !== 'string' || typeof source !== 'string' || typeof destination !== 'string') return undefined;
  return typeof exp === 'number' ? { channel, source, destination, expires: exp * 1_000 } : undefined;
}
