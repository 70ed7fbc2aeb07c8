import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestFault } from './request-fault.ts';

const GET = { rawHeaders: [], path: '/api/v1/pods', httpVersion: '1.1', isUpgrade: false } as const;
const CHUNKED = ['Transfer-Encoding', 'chunked'];

const rows = [
  { why: 'an ordinary request', head: {}, isRefused: false },
  { why: 'a body of any method', head: { rawHeaders: CHUNKED }, isRefused: false },
  { why: 'a coding of its own', head: { rawHeaders: ['Transfer-Encoding', 'gzip, chunked'] }, isRefused: true },
  { why: 'chunks before there were any', head: { rawHeaders: CHUNKED, httpVersion: '1.0' }, isRefused: true },
  { why: 'an upgrade', head: { isUpgrade: true, rawHeaders: ['Content-Length', '0'] }, isRefused: false },
  { why: 'an upgrade with a body', head: { isUpgrade: true, rawHeaders: ['Content-Length', '1'] }, isRefused: true },
  { why: 'an upgrade with chunks', head: { isUpgrade: true, rawHeaders: CHUNKED }, isRefused: true },
  { why: 'many headers', head: { rawHeaders: Array.from({ length: 2_002 }, () => 'a') }, isRefused: true },
  { why: 'a fragment', head: { path: '/api#/exec' }, isRefused: true },
  { why: 'bytes beyond ASCII', head: { path: '/api/\u00ff' }, isRefused: true },
] as const;

for (const { why, head, isRefused } of rows) {
  test(`${why} is ${isRefused ? 'refused' : 'handed on'}`, () => {
    assert.equal(requestFault({ ...GET, ...head }) !== undefined, isRefused);
  });
}

const DOTS = ['/..', '/a/../b', '/a/.', '/%2e%2e/x', '/.%2E', '/a/%2e/b', '/%252e%252e/x', '/x%2f..%2fy', '/..;a/b'];
for (const path of [...DOTS, '/..\\x', '/x%5c..', `/%${'25'.repeat(9)}2e`]) {
  test(`${path} could lead out of the cluster's root`, () => assert.ok(requestFault({ ...GET, path })));
}

for (const path of [
  '/...',
  '/a..b',
  '/.well-known',
  '/a?x=/../y',
  '/apis/v1.apps',
  '/a%20b',
  '/%zz',
  '/x%2fy',
  '/a;..',
]) {
  test(`${path} does not`, () => assert.equal(requestFault({ ...GET, path }), undefined));
}
