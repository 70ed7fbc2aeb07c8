import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banner } from './banner.ts';

const FACTS = {
  version: '1.2.3',
  http: { host: '127.0.0.1', port: 8700 },
  https: { host: '0.0.0.0', port: 8701 },
  data: '/data',
  database: 'sqlite',
  tokenFile: '/data/admin-token',
  authorityFile: '/data/tls/ca.crt',
};

test('it shows where everything is', () => {
  assert.equal(
    banner(FACTS),
    `FleetShift 1.2.3
  API    http://127.0.0.1:8700  https://localhost:8701
  Docs   http://127.0.0.1:8700/docs
  Token  /data/admin-token
  Trust  /data/tls/ca.crt
  Data   /data (sqlite)
`,
  );
});

test('it leaves out what is not there', () => {
  const text = banner({ ...FACTS, http: undefined, https: { host: '::1', port: 1 }, authorityFile: undefined });
  assert.match(text, /API +https:\/\/\[::1\]:1\n/);
  assert.doesNotMatch(text, /Trust|undefined/);
});
