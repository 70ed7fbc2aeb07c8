import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HttpServer } from '../index.ts';
import { testServer } from '../testing/test-server.ts';

/** Everything that makes a browser fetch something: HTML attributes, and `url()` and `@import` in CSS. */
const REFERENCES = /(?:src|href)\s*=\s*["']([^"']+)|url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)/g;

describe('the pages of the documentation', () => {
  let server: HttpServer;
  before(async () => {
    ({ server } = await testServer([]));
  });
  after(() => server.close(1000));

  const get = (url: string) => server.inject({ url });

  for (const page of ['/docs', '/docs/']) {
    it(`at ${page} and everything they name are served from here`, async () => {
      const html = await get(page);
      assert.equal(html.statusCode, 200);
      assert.match(String(html.headers['content-type']), /^text\/html/);
      assert.match(html.body, /<title>Things<\/title>/);
      const names = referencesIn(html.body);
      assert.ok(names.length >= 6, `only ${names.join()}`);
      for (const name of names) {
        const asset = await get(new URL(name, `http://x${page}`).pathname);
        assert.equal(asset.statusCode, 200, name);
        if (name.endsWith('.css'))
          assert.deepEqual(
            referencesIn(asset.body).filter((url) => !url.startsWith('data:')),
            [],
          );
      }
    });
  }

  it('forbid the browser to reach anything else', async () => {
    for (const page of [
      '/docs',
      '/docs/',
      '/docs/static/swagger-ui-bundle.js',
      '/docs/static/swagger-initializer.js',
    ]) {
      const policy = String((await get(page)).headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe-(?!hashes)|https?:|\*/);
    }
  });

  it('do not send the description to a validator', async () => {
    const { body } = await get('/docs/static/swagger-initializer.js');
    assert.match(body, /"validatorUrl": ?null/);
    assert.deepEqual(body.match(/https?:\/\/(?!stackoverflow\.com)[^\s'"]+/g), null);
  });

  it('show the same description as /openapi.json', async () => {
    assert.deepEqual((await get('/docs/json')).json(), (await get('/openapi.json')).json());
  });

  it('that are missing are a problem like any other', async () => {
    for (const page of ['/docs/static/nope.js', '/docs/nope', '/docs/static/%2e%2e/%2e%2e/package.json']) {
      const answer = await get(page);
      assert.ok(answer.statusCode === 404 || answer.statusCode === 403, `${answer.statusCode}`);
      assert.equal(answer.headers['content-type'], 'application/problem+json', page);
    }
  });
});

function referencesIn(text: string): string[] {
  return Array.from(text.matchAll(REFERENCES), ([, attribute, url, style]) => attribute ?? url ?? style ?? '');
}
