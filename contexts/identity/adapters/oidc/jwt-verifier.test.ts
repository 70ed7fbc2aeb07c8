import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { parseUuid } from '#kit/std';
import { FakeClock } from '#testing/fake-clock';
import { PATIENCE_MS } from '#testing/patience';
import type { Issuer } from '../../domain/issuer.ts';
import { newIssuer, type RawIssuer } from '../../domain/issuer-draft.ts';
import { ClaimExpressions } from './claim-expressions.ts';
import { IssuerDirectory } from './issuer-directory.ts';
import { JwtVerifier } from './jwt-verifier.ts';

const { signal } = new AbortController();
const URLS = { corp: 'https://corp.example', other: 'https://other.example' } as const;

/** Issuers with keys and metadata only, without a network. */
class World {
  readonly clock = new FakeClock();
  readonly requests: string[] = [];
  readonly dead = new Set<string>();
  readonly #keys = new Map<string, { kid: string; key: CryptoKey; jwk: JWK }>();
  readonly verifier: JwtVerifier;

  constructor(...issuers: readonly Issuer[]) {
    const directory = new IssuerDirectory({
      configured: issuers,
      stored: async () => [],
      clock: this.clock,
      fetch: async (url) => await this.#answer(new URL(url)),
    });
    this.verifier = new JwtVerifier({ issuers: directory, expressions: new ClaimExpressions() });
  }

  async newKey(origin: string, kid: string, alg = 'ES256'): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    this.#keys.set(origin, { kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid } });
  }

  async token(origin: string, its: Readonly<Record<string, unknown>> = {}, header = {}): Promise<string> {
    const { kid, key } = this.#keys.get(origin) ?? assert.fail();
    const now = Math.floor(this.clock.now() / 1000);
    const claims = { iss: origin, sub: 'alice', aud: 'fleet', iat: now, exp: now + 600, ...its };
    const given = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    return await new SignJWT(given).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(key);
  }

  async #answer({ origin, pathname }: URL): Promise<Response> {
    this.requests.push(`${origin}${pathname}`);
    if (this.dead.has(origin)) throw new Error('nobody there');
    const metadata = { issuer: origin, jwks_uri: `${origin}/keys`, authorization_endpoint: `${origin}/auth` };
    const body = pathname === '/keys' ? { keys: [this.#keys.get(origin)?.jwk] } : metadata;
    return Response.json(body);
  }
}

function anIssuer(name: 'corp' | 'other', its: Partial<RawIssuer> = {}): Issuer {
  const raw = { name, url: URLS[name], clientId: 'fleet', mode: 'isolated', ...its } as const;
  const uid = parseUuid(`00000000-0000-7000-8000-00000000000${name === 'corp' ? 1 : 2}`);
  return newIssuer(raw, { uid, now: 0, source: 'api', clientSecret: undefined });
}

async function aWorld(...issuers: readonly Issuer[]): Promise<World> {
  const world = new World(...issuers);
  for (const url of Object.values(URLS)) await world.newKey(url, 'k1');
  return world;
}

describe('a token for one cluster', () => {
  const rows = [
    { why: 'of the audience that is meant', aud: 'prod-1', taken: true },
    { why: 'for other things that are not ours besides', aud: ['prod-1', 'wiki'], taken: true },
    { why: 'of another cluster', aud: 'prod-2', taken: false },
    { why: 'that the platform takes as well', aud: ['prod-1', 'fleet'], taken: false },
    { why: 'that the platform takes of another issuer as well', aud: ['prod-1', 'partners'], taken: false },
  ];
  for (const { why, aud, taken } of rows) {
    it(`${why} is ${taken ? 'taken there' : 'not taken'}, and nowhere else`, async () => {
      const world = await aWorld(anIssuer('corp'), anIssuer('other', { audiences: ['partners'] }));
      const token = await world.token(URLS.corp, { aud });
      const user = await world.verifier.verifyFor({ issuer: 'corp', audience: 'prod-1' }, token, signal);
      assert.equal(user?.id, taken ? 'corp:alice' : undefined);
      if (taken) assert.equal(await world.verifier.verify(token, signal), undefined);
      const elsewhere = { issuer: 'other', audience: 'prod-1' };
      assert.equal(await world.verifier.verifyFor(elsewhere, token, signal), undefined, 'of another issuer');
    });
  }
});

describe('a token of an issuer', () => {
  const rows: { why: string; its?: object; header?: object; taken: boolean }[] = [
    { why: 'as it should be', taken: true },
    { why: 'for several, us among them', its: { aud: ['x', 'fleet'] }, taken: true },
    { why: 'for somebody else', its: { aud: 'x' }, taken: false },
    { why: 'for nobody', its: { aud: undefined }, taken: false },
    { why: 'expired within the skew', its: { exp: seconds(-20) }, taken: true },
    { why: 'expired', its: { exp: seconds(-40) }, taken: false },
    { why: 'that never expires', its: { exp: undefined }, taken: false },
    { why: 'not valid yet within the skew', its: { nbf: seconds(20) }, taken: true },
    { why: 'not valid yet', its: { nbf: seconds(40) }, taken: false },
    { why: 'from the future', its: { iat: seconds(40) }, taken: false },
    { why: 'of unknown age', its: { iat: undefined }, taken: false },
    { why: 'more than a week old', its: { iat: seconds(-8 * 86_400), exp: seconds(600) }, taken: false },
    { why: 'of an issuer that nobody trusts', its: { iss: 'https://evil.example' }, taken: false },
    { why: 'with the slash that some add', its: { iss: `${URLS.corp}/` }, taken: false },
    { why: 'without a word on who issued it', its: { iss: undefined }, taken: false },
    { why: 'an access token', header: { typ: 'at+jwt' }, taken: true },
    { why: 'a logout token', header: { typ: 'logout+jwt' }, taken: false },
  ];
  for (const { why, its, header, taken } of rows) {
    it(`${why} is ${taken ? 'taken' : 'not taken'}`, async () => {
      const world = await aWorld(anIssuer('corp'), anIssuer('other'));
      const token = await world.token(URLS.corp, its as Record<string, unknown>, header);
      const user = await world.verifier.verify(token, signal);
      assert.equal(user?.id, taken ? 'corp:alice' : undefined);
    });
  }

  it('signed by another issuer’s key is not taken', async () => {
    const world = await aWorld(anIssuer('corp'), anIssuer('other'));
    const token = await world.token(URLS.other, { iss: URLS.corp });
    assert.equal(await world.verifier.verify(token, signal), undefined);
  });

  it('that was tampered with is not taken', async () => {
    const world = await aWorld(anIssuer('corp'));
    const [header = '', , signature = ''] = (await world.token(URLS.corp)).split('.');
    const claims = Buffer.from(JSON.stringify({ iss: URLS.corp, sub: 'root', aud: 'fleet', iat: 1, exp: 9e9 }));
    const forged = [header, claims.toString('base64url'), signature].join('.');
    assert.equal(await world.verifier.verify(forged, signal), undefined);
  });

  for (const alg of ['none', 'HS256']) {
    it(`with the algorithm ${alg} is not taken`, async () => {
      const world = await aWorld(anIssuer('corp'));
      const [, claims = ''] = (await world.token(URLS.corp)).split('.');
      const header = Buffer.from(JSON.stringify({ alg, kid: 'k1' })).toString('base64url');
      for (const signature of ['', 'AAAA']) {
        assert.equal(await world.verifier.verify(`${header}.${claims}.${signature}`, signal), undefined);
      }
    });
  }

  it('that is far too long is not even looked at', async () => {
    const world = await aWorld(anIssuer('corp'));
    assert.equal(
      await world.verifier.verify(await world.token(URLS.corp, { x: 'x'.repeat(12_000) }), signal),
      undefined,
    );
    assert.deepEqual(world.requests, []);
  });

  it('is mapped by the expressions of its issuer', async () => {
    const claims = { username: 'claims.email', groups: 'claims.roles.filter(r, r.startsWith("fleet-"))' };
    const sharedGroups = '"admins" in claims.roles ? ["fleet-admins"] : []';
    const world = await aWorld(anIssuer('corp', { mode: 'federated', claims: { ...claims, sharedGroups } }));
    const user = await world.verifier.verify(
      await world.token(URLS.corp, { email: 'a@corp.example', roles: ['fleet-dev', 'admins', 'x'] }),
      signal,
    );
    assert.deepEqual([user?.id, user?.groups], ['corp:a@corp.example', ['corp:fleet-dev', 'fleet-admins']]);
    const without = world.token(URLS.corp, { roles: [] });
    await assert.rejects(world.verifier.verify(await without, signal), { code: 'SUBJECT_REFUSED' });
  });
});

describe('the keys of an issuer', () => {
  test('are fetched once, and again when a token has a new one', async () => {
    const world = await aWorld(anIssuer('corp'));
    for (let time = 0; time < 3; time += 1)
      assert.ok(await world.verifier.verify(await world.token(URLS.corp), signal));
    assert.equal(world.requests.length, 2, 'metadata and keys');
    await world.newKey(URLS.corp, 'k2');
    const tokens = await Promise.all([world.token(URLS.corp), world.token(URLS.corp)]);
    const users = await Promise.all(tokens.map((token) => world.verifier.verify(token, signal)));
    assert.deepEqual(
      users.map((user) => user?.id),
      ['corp:alice', 'corp:alice'],
    );
    assert.equal(world.requests.length, 4, 'those who wait share one fetch');
  });

  test('are not fetched again and again for keys that nobody knows', async () => {
    const world = await aWorld(anIssuer('corp'));
    await world.verifier.verify(await world.token(URLS.corp), signal);
    const forged = await world.token(URLS.corp, {}, { kid: 'nobody’s' });
    for (let time = 0; time < 20; time += 1) {
      assert.equal(await world.verifier.verify(forged, signal), undefined);
      await world.clock.advance(1_000);
    }
    assert.equal(world.requests.length, 2 + 2 * 2, 'beside the first time, twice in twenty seconds');
  });

  test('that were withdrawn are not taken once the issuer was asked again', async () => {
    const world = await aWorld(anIssuer('corp'));
    const old = await world.token(URLS.corp, { exp: seconds(86_400) });
    await world.verifier.verify(old, signal);
    await world.newKey(URLS.corp, 'k2');
    await world.clock.advance(10 * 60_000);
    assert.ok(await world.verifier.verify(old, signal), 'asked behind the back of this one');
    await until(async () => (await world.verifier.verify(old, signal)) === undefined);
  });

  test('are used for an hour while the issuer is away, and not longer', async () => {
    const world = await aWorld(anIssuer('corp'));
    await world.verifier.verify(await world.token(URLS.corp), signal);
    world.dead.add(URLS.corp);
    await world.clock.advance(59 * 60_000);
    assert.ok(await world.verifier.verify(await world.token(URLS.corp), signal));
    await world.clock.advance(60_000);
    await assert.rejects(world.verifier.verify(await world.token(URLS.corp), signal), { code: 'ISSUER_UNAVAILABLE' });
    world.dead.clear();
    await world.clock.advance(10_000);
    assert.ok(await world.verifier.verify(await world.token(URLS.corp), signal), 'and it comes back by itself');
  });

  test('that cannot be had are no reason to say that a token is wrong, nor do they hold up another issuer', async () => {
    const world = await aWorld(anIssuer('corp'), anIssuer('other'));
    world.dead.add(URLS.corp);
    for (let time = 0; time < 3; time += 1) {
      await assert.rejects(world.verifier.verify(await world.token(URLS.corp), signal), { code: 'ISSUER_UNAVAILABLE' });
    }
    assert.equal(world.requests.length, 1, 'one try in ten seconds');
    assert.equal((await world.verifier.verify(await world.token(URLS.other), signal))?.id, 'other:alice');
  });

  test('that may be new cannot be told from forged ones while the issuer is away', async () => {
    const world = await aWorld(anIssuer('corp'));
    const old = await world.token(URLS.corp);
    await world.verifier.verify(old, signal);
    world.dead.add(URLS.corp);
    await world.newKey(URLS.corp, 'k2');
    await assert.rejects(world.verifier.verify(await world.token(URLS.corp), signal), { code: 'ISSUER_UNAVAILABLE' });
    assert.ok(await world.verifier.verify(old, signal), 'one with a known key goes on');
  });

  test('are waited for no longer than whoever asks waits', async () => {
    const world = await aWorld(anIssuer('corp'));
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(world.verifier.verify(await world.token(URLS.corp), gone), { message: 'gone' });
  });
});

function seconds(away: number): number {
  return Math.floor(Date.UTC(2030, 0, 1) / 1000) + away;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  while (!(await condition())) {
    deadline.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
