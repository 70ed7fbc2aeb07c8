import { otherSpellings } from '#testing/oidc/other-spellings';
import { SIGNING_ALGORITHMS, startSigningIssuer } from '#testing/oidc/signing-issuer';
import { made } from '../access/callers.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';

/** A token's signature has several encodings, and only one of them was logged out. */
export const undoneLogout: Attack = {
  finding: 11,
  name: 'a token of an issuer that was logged out is taken in another spelling',
  run: async ({ home }: Stage) => {
    const issuer = await startSigningIssuer();
    try {
      const platform = await home.start();
      const { url } = issuer;
      await made(platform, '/v1/issuers', { name: 'corp', url, clientId: 'fleet', mode: 'inherited' });
      const ask = (token: string, path: string, method = 'GET'): Promise<Response> =>
        fetch(`${platform.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
      const taken: string[] = [];
      for (const alg of SIGNING_ALGORITHMS) {
        const token = await issuer.sign({ sub: 'alice', aud: 'fleet', alg });
        const [known, out] = [await ask(token, '/v1/access/identity'), await ask(token, '/v1/logout', 'POST')];
        if (known.status !== 200 || out.status !== 204)
          throw new Error(`log in and out: ${known.status}, ${out.status}`);
        const same = await ask(token, '/v1/access/identity');
        if (same.status !== 401) throw new Error(`the token itself is answered ${same.status} after the logout`);
        for (const other of otherSpellings(token, alg)) {
          if ((await ask(other, '/v1/access/identity')).status === 200) taken.push(alg);
        }
      }
      if (taken.length > 0) return succeeded(`${taken.length} other spellings were taken: ${taken.join(', ')}`);
      return heldOff('no spelling of the token was taken after the logout');
    } finally {
      await issuer.close();
    }
  },
};
