import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { otherSpellings } from '#testing/oidc/other-spellings';
import { SIGNING_ALGORITHMS, type SigningIssuer, startSigningIssuer } from '#testing/oidc/signing-issuer';
import { bearer, call } from '../../testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';

const ME = 'GET /v1/access/identity';

const CLIENT = 'fleet';

eachDatabase('logout with a token of an issuer', (fresh) => {
  let database: TestDatabase;
  let issuer: SigningIssuer;
  let running: IdentityServer;
  before(async () => {
    database = await fresh();
    issuer = await startSigningIssuer();
    const corp = { name: 'corp', url: issuer.url, clientId: CLIENT, mode: 'inherited' as const };
    running = await startIdentityServer(database, { issuers: [corp] });
  });
  after(async () => {
    await running.close();
    await issuer.close();
    await database.dispose();
  });
  const statusOf = async (token: string): Promise<number> =>
    (await call(running.server, ME, { headers: bearer(token) })).status;

  describe('however the token is written', () => {
    for (const alg of SIGNING_ALGORITHMS) {
      it(`ends it in every spelling: ${alg}`, async () => {
        const token = await issuer.sign({ sub: 'alice', aud: CLIENT, alg });
        const others = otherSpellings(token, alg);
        assert.ok(others.length >= 3, 'there are some');
        assert.equal(await statusOf(token), 200);
        await call(running.server, 'POST /v1/logout', { headers: bearer(token), want: 204 });
        for (const each of [token, ...others]) assert.equal(await statusOf(each), 401, each);
        assert.equal(
          await statusOf(await issuer.sign({ sub: 'alice', aud: CLIENT, alg, seconds: 601 })),
          200,
          'and no other token',
        );
      });

      it(`takes no spelling but the one that encoders write: ${alg}`, async () => {
        const token = await issuer.sign({ sub: 'bob', aud: CLIENT, alg });
        const [signed, bits] = [token.lastIndexOf('.'), otherSpellings(token, 'RS256')];
        for (const each of bits) assert.equal(await statusOf(each), 401, each.slice(signed));
        for (const each of [`${token}=`, `${token}==`, token.replace('.', '=.')])
          assert.equal(await statusOf(each), 401);
        assert.equal(await statusOf(token), 200);
      });
    }

    it('ends a token that was logged out by its other signature', async () => {
      const token = await issuer.sign({ sub: 'carol', aud: CLIENT, alg: 'ES256' });
      const other = otherSpellings(token, 'ES256').at(-1) ?? '';
      await call(running.server, 'POST /v1/logout', { headers: bearer(other), want: 204 });
      assert.equal(await statusOf(token), 401);
    });
  });
});
