import type { SeededRandom } from '../seeded.ts';

/** Values that a property's schema cannot express, but with which a request has a chance to succeed. */
const PLAUSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  // Nothing listens there, so connections fail at once.
  url: ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://localhost:3/realm'],
  username: ['claims.sub', 'claims.email'],
  groups: ['claims.groups', '["dev"]'],
  scopes: [['openid'], ['openid', 'profile']],
  attributesSchema: [{ type: 'object' }, { type: 'object', properties: { level: { type: 'integer' } } }],
  type: ['directory', 'kubernetes'],
  ttl: ['1h', '30d'],
  overlap: ['1m', '1h'],
  clockSkew: ['1m'],
  ca: [undefined],
};

/** Sometimes undefined, and always for a property that is not listed: the schema alone then decides. */
export function plausible(random: SeededRandom, property: string): unknown {
  const values = PLAUSIBLE[property];
  return values === undefined || random.next() < 0.2 ? undefined : random.pick(values);
}
