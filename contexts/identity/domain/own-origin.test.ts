import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cookieIn, setCookie } from './cookies.ts';
import { checkSameOrigin, ownOrigin } from './own-origin.ts';

const ORIGINS = ['http://127.0.0.1:8700', 'https://fleet.example'];
const own = { origin: 'https://fleet.example', secure: true };
const ours = { origin: 'https://fleet.example', 'x-fleetshift-csrf': '1' };

describe('a request with a cookie', () => {
  it('comes by an address of ours, or by none', () => {
    assert.deepEqual(ownOrigin(ORIGINS, { host: 'fleet.example' }), own);
    assert.deepEqual(ownOrigin(ORIGINS, { host: '127.0.0.1:8700' }), { origin: ORIGINS[0], secure: false });
    for (const host of ['fleet.example:8443', 'evil.example', '127.0.0.1', undefined]) {
      assert.equal(ownOrigin(ORIGINS, { host }), undefined, String(host));
    }
  });

  for (const { why, method, headers, taken } of [
    { why: 'looks only', method: 'GET', headers: {}, taken: true },
    { why: 'looks only, from elsewhere', method: 'HEAD', headers: { origin: 'https://evil.example' }, taken: true },
    { why: 'is from a page of ours', method: 'POST', headers: ours, taken: true },
    {
      why: 'says so in another way',
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'x-fleetshift-csrf': '1' },
      taken: true,
    },
    { why: 'has no header of ours', method: 'POST', headers: { origin: own.origin }, taken: false },
    { why: 'does not say where it is from', method: 'DELETE', headers: { 'x-fleetshift-csrf': '1' }, taken: false },
    { why: 'is from elsewhere', method: 'POST', headers: { ...ours, origin: 'https://evil.example' }, taken: false },
    {
      why: 'is from the same host without TLS',
      method: 'POST',
      headers: { ...ours, origin: 'http://fleet.example' },
      taken: false,
    },
    { why: 'is from nowhere', method: 'POST', headers: { ...ours, origin: 'null' }, taken: false },
    {
      why: 'is of a neighbour',
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-site', 'x-fleetshift-csrf': '1' },
      taken: false,
    },
  ]) {
    it(`that ${why} is ${taken ? 'taken' : 'refused'}`, () => {
      const check = (): void => checkSameOrigin(headers, method, own);
      if (taken) check();
      else assert.throws(check, { code: 'ORIGIN_REFUSED' });
    });
  }
});

describe('cookies', () => {
  it('are found by their whole name, and only if there is one of it', () => {
    assert.equal(cookieIn('a=1; b=2', 'b'), '2');
    assert.equal(cookieIn('ab=1', 'b'), undefined);
    assert.equal(cookieIn('b=1; b=2', 'b'), undefined);
    assert.equal(cookieIn(undefined, 'b'), undefined);
  });

  it('are for this host alone on TLS', () => {
    assert.equal(
      setCookie('b', 'x', { secure: true, maxAgeSeconds: 9 }),
      '__Host-b=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=9; Secure',
    );
  });
});
