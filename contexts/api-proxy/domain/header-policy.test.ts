import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answeredHeaders, asksToImpersonate, forwardedHeaders, headerIn } from './header-policy.ts';

test('of a request what is of its connection, or about its caller, stays behind', () => {
  const pairs = {
    kept: ['Accept', 'a', 'ACCEPT', 'b', 'Content-Type', 'json', 'X-Custom', '1'],
    ofTheConnection: [
      'Connection',
      'keep-alive, X-Hop',
      'X-Hop',
      '1',
      'Transfer-Encoding',
      'chunked',
      'Upgrade',
      'h2c',
    ],
    ofTheCaller: ['Authorization', 'Bearer x', 'Cookie', 'c', 'X-Remote-User', 'root', 'X-Forwarded-For', '::1'],
    ofOthers: ['Host', 'h', 'Impersonate-User', 'root', 'Fleetshift-Identity', 'me', 'Audit-ID', 'a', 'Expect', 'e'],
  };
  const raw = Object.values(pairs).flat();
  assert.deepEqual(forwardedHeaders(raw), { accept: ['a', 'b'], 'content-type': 'json', 'x-custom': '1' });
});

test('a token is no protocol', () => {
  const raw = ['Sec-WebSocket-Protocol', 'base64url.bearer.authorization.k8s.io.dG9rZW4, v5.channel.k8s.io'];
  assert.deepEqual(forwardedHeaders(raw), { 'sec-websocket-protocol': 'v5.channel.k8s.io' });
});

test('where a body ends is nothing that is handed on, nor is what the ends of a tunnel tell each other', () => {
  const raw = [
    'Content-Length',
    '3',
    'Transfer-Encoding',
    'chunked',
    'Trailer',
    'x',
    'Fleetshift-Proof',
    'p',
    'Etag',
    'e',
  ];
  assert.deepEqual(forwardedHeaders(raw), { etag: 'e' });
  assert.deepEqual(answeredHeaders(raw), { etag: 'e' });
});

test('of an answer what would act in a browser stays behind', () => {
  const raw = [
    'Set-Cookie',
    'a',
    'Access-Control-Allow-Origin',
    '*',
    'Content-Security-Policy-Report-Only',
    'x',
    'Etag',
    'e',
  ];
  assert.deepEqual(answeredHeaders(raw), { etag: 'e' });
});

test('whoever asks to be somebody else is found, however he spells it', () => {
  assert.ok(asksToImpersonate(['iMPERSONATE-eXTRA-scopes', 'x']));
  assert.ok(!asksToImpersonate(['X-Impersonate-User', 'x']));
});

test('a header that is there twice says nothing', () => {
  assert.equal(headerIn(['A', '1', 'a', '2'], 'a'), undefined);
  assert.equal(headerIn(['A', '1'], 'a'), '1');
});

test('nothing that names a caller ever passes', () => {
  const names = fc.constantFrom(
    'authorization',
    'Cookie',
    'Impersonate-Group',
    'X-Remote-Group',
    'fleetshift-identity',
    'accept',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.string())), (pairs) => {
      assert.deepEqual(
        Object.keys(forwardedHeaders(pairs.flat())).filter((name) => name !== 'accept'),
        [],
      );
    }),
  );
});
