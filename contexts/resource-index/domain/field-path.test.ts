import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFieldPath, valuesAt } from './field-path.ts';

const OBJECT = {
  metadata: { labels: { 'app.kubernetes.io/name': 'web' } },
  spec: { containers: [{ image: 'a' }, { image: 'b' }, {}], replicas: 0, paused: false, nothing: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Seen', status: 'False' },
    ],
  },
};

describe('a path into an object', () => {
  for (const { why, path, want } of [
    { why: 'into properties', path: 'spec.replicas', want: [0] },
    { why: 'to what is false', path: 'spec.paused', want: [false] },
    { why: 'with a key of any text', path: 'metadata.labels["app.kubernetes.io/name"]', want: ['web'] },
    { why: 'into every item', path: 'spec.containers[*].image', want: ['a', 'b'] },
    { why: 'into the item that has a value', path: 'status.conditions[type=Ready].status', want: ['True'] },
    { why: 'to what is not there', path: 'spec.other.deeper', want: [] },
    { why: 'to what is null, which is nothing', path: 'spec.nothing', want: [] },
    { why: 'into what is no list', path: 'spec[*]', want: [] },
    { why: 'to what only the language has', path: 'spec.constructor', want: [] },
    { why: 'to the length of a list', path: 'spec.containers.length', want: [] },
  ]) {
    it(`leads ${why}`, () => {
      const steps = parseFieldPath(path);
      assert.ok(steps);
      assert.deepEqual(valuesAt(OBJECT, steps), want);
    });
  }

  for (const path of [
    '',
    '.spec',
    'spec.',
    'spec..a',
    'spec[',
    'spec[0]',
    'spec[a=]',
    'spec["a]',
    'a b',
    'x'.repeat(300),
  ]) {
    it(`is none: ${path.slice(0, 20)}`, () => assert.equal(parseFieldPath(path), undefined));
  }

  it('is none beyond sixteen steps', () => {
    assert.ok(parseFieldPath('a.'.repeat(15).concat('a')));
    assert.equal(parseFieldPath('a.'.repeat(16).concat('a')), undefined);
  });
});
