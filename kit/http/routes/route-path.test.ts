import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathParameters, toPathPattern, toRouterPath } from './route-path.ts';

describe('paths as OpenAPI writes them', () => {
  for (const { path, want, why } of [
    { why: 'plain', path: '/v1/things', want: '/v1/things' },
    { why: 'a parameter ends before a colon', path: '/v1/things/{name}', want: '/v1/things/:name([^/:]+)' },
    { why: 'a verb on a thing', path: '/v1/things/{name}:pause', want: '/v1/things/:name([^/:]+)::pause' },
    { why: 'a verb on all things', path: '/v1/things:search', want: '/v1/things::search' },
    { why: 'deeper', path: '/a/{b}/c/{d}:go', want: '/a/:b([^/:]+)/c/:d([^/:]+)::go' },
  ]) {
    it(`are understood by the router: ${why}`, () => assert.equal(toRouterPath(path), want));
  }

  it('that are something else are refused', () => {
    for (const path of ['v1', '/v1/:name', '/v1/{na-me}', '/v1/{name', '/v1/things?x', '', '/v1/{Name}:1']) {
      assert.throws(() => toRouterPath(path), TypeError, path);
    }
  });

  it('match what the router matches', () => {
    const pattern = toPathPattern('/v1/things/{name}:pause');
    for (const path of ['/v1/things/a:pause', '/v1/things/a.b-c:pause']) assert.match(path, pattern);
    for (const path of ['/v1/things/a', '/v1/things/:pause', '/v1/things/a/b:pause', '/v1/things/a:pause:pause']) {
      assert.doesNotMatch(path, pattern);
    }
    assert.doesNotMatch('/openapiXjson', toPathPattern('/openapi.json'));
  });

  it('name their parameters', () => assert.deepEqual(pathParameters('/a/{b}/c/{d}:go'), ['b', 'd']));
});
