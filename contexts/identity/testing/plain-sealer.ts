import { Secret } from '#kit/std';
import type { Sealer } from '../application/ports.ts';

/** For tests: keeps the secret readable, and opens it only in the place that it was sealed for. */
export const plainSealer: Sealer = {
  seal: async (secret, place) => `${JSON.stringify(place)}:${Buffer.from(secret.reveal()).toString('base64url')}`,
  open: async (sealed, place) => {
    const prefix = `${JSON.stringify(place)}:`;
    if (!sealed.startsWith(prefix)) throw new Error('sealed for another place');
    return new Secret(Buffer.from(sealed.slice(prefix.length), 'base64url').toString('utf8'));
  },
};
