import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDataChannel, readerFor } from './data-channel.ts';

suite('where a data channel leads', () => {
  for (const { why, source, readers, want } of [
    { why: 'nobody reads it', source: '/shop/', readers: [], want: undefined },
    { why: 'the same workspace will do', source: '/shop/', readers: ['/shop/'], want: '/shop/' },
    { why: 'one above will do', source: '/shop/web/', readers: ['/'], want: '/' },
    {
      why: 'the nearest comes first',
      source: '/shop/web/',
      readers: ['/', '/shop/', '/shop/web/api/'],
      want: '/shop/',
    },
    { why: 'one beside does not count', source: '/shop/', readers: ['/bank/'], want: undefined },
    { why: 'one below does not count', source: '/shop/', readers: ['/shop/web/'], want: undefined },
    { why: 'a longer name is another workspace', source: '/shops/', readers: ['/shop/'], want: undefined },
  ]) {
    test(why, () => {
      const found = readerFor(
        source,
        readers.map((path) => ({ fleetlet: path, path })),
      );
      assert.equal(found?.path, want);
    });
  }

  test('of two in the same workspace the first stays', () => {
    const readers = ['one', 'two'].map((fleetlet) => ({ fleetlet, path: '/' }));
    assert.equal(readerFor('/', readers)?.fleetlet, 'one');
  });

  test('only names below data/ are of data channels', () => {
    assert.deepEqual(['data/a', 'data/', 'data', 'index'].map(isDataChannel), [true, false, false, false]);
  });
});
