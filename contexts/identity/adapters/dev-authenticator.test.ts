import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devAuthenticator } from './dev-authenticator.ts';

const { signal } = new AbortController();

for (const { why, address = '127.0.0.1', headers, taken } of [
  { why: 'a program on this machine', headers: { host: '127.0.0.1:8700' }, taken: true },
  { why: 'by name', headers: { host: 'localhost:8700' }, taken: true },
  { why: 'by IPv6', address: '::1', headers: { host: '[::1]:8700' }, taken: true },
  { why: 'a page of this machine', headers: { host: 'localhost:8700', origin: 'http://localhost:3000' }, taken: true },
  { why: 'another machine', address: '10.0.0.1', headers: { host: 'localhost:8700' }, taken: false },
  { why: 'a page from elsewhere', headers: { host: 'localhost:8700', origin: 'https://evil.example' }, taken: false },
  { why: 'a name that somebody else bent to this machine', headers: { host: 'evil.example:8700' }, taken: false },
  { why: 'no name at all', headers: {}, taken: false },
]) {
  test(`${why} is ${taken ? 'the administrator' : 'nobody'}`, async () => {
    const principal = await devAuthenticator.authenticate(
      { bearer: undefined, method: 'GET', address, headers },
      signal,
    );
    assert.deepEqual(principal, taken ? { kind: 'admin', id: 'dev' } : undefined);
  });
}
