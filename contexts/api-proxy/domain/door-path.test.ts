import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDoorPath } from './door-path.ts';

const rows = [
  { url: '/targets/web/api', want: { target: 'web', path: '/' } },
  { url: '/targets/web/api?timeout=1', want: { target: 'web', path: '/?timeout=1' } },
  { url: '/targets/web/api/', want: { target: 'web', path: '/' } },
  { url: '/targets/web/api/api/v1/a%2Fb?x=/', want: { target: 'web', path: '/api/v1/a%2Fb?x=/' } },
  { url: '/targets/web/apis', want: undefined },
  { url: '/targets/web', want: undefined },
  { url: '/targets//api/version', want: undefined },
  { url: '/v1/targets/web/api/version', want: undefined },
] as const;

for (const { url, want } of rows) {
  test(`${url} is ${want === undefined ? 'no door' : want.path}`, () => {
    assert.deepEqual(parseDoorPath(url), want);
  });
}
