import type { SeededRandom } from '../seeded.ts';

/** What the schema of a property cannot tell: values with which a request has a chance to get through. */
const PLAUSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  // Nobody listens there, which is known at once.
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

/** Now and then the schema alone decides, as it does for what is not listed. */
export function plausible(random: SeededRandom, property: string): unknown {
  const values = PLAUSIBLE[property];
  return values === undefined || random.next() < 0.2 ? undefined : random.pick(values);
}
