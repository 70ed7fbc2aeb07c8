import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { safeReturnTo } from './return-to.ts';

describe('where a login leads back to', () => {
  for (const { raw, want } of [
    { raw: '/', want: '/' },
    { raw: '/a/b?c=d#e', want: '/a/b?c=d#e' },
    { raw: '/a//b', want: '/a//b' },
    { raw: undefined, want: '/else' },
    { raw: '', want: '/else' },
    { raw: 'a', want: '/else' },
    { raw: 'https://evil.example', want: '/else' },
    { raw: '//evil.example', want: '/else' },
    { raw: '/\\evil.example', want: '/else' },
    { raw: '/\t/evil.example', want: '/else' },
    { raw: '/..//evil.example', want: '/else' },
    { raw: '/./\n/evil.example', want: '/else' },
    { raw: 'javascript:alert(1)', want: '/else' },
    { raw: `/${'x'.repeat(2048)}`, want: '/else' },
  ]) {
    it(`${JSON.stringify(raw?.slice(0, 30))} is ${want}`, () => assert.equal(safeReturnTo(raw, '/else'), want));
  }

  it('is a path of the same origin, whatever is asked for', () => {
    const part = fc.constantFrom('/', '\\', '.', '..', '@', ':', 'evil.example', '?', '#', '\t', ' ', '%2f', 'https:');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const path = safeReturnTo(parts.join(''), '/else');
        assert.ok(path.startsWith('/') && !path.startsWith('//'));
        assert.equal(new URL(path, 'https://ours.example').origin, 'https://ours.example');
      }),
      { numRuns: 2_000 },
    );
  });
});
