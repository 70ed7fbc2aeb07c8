import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldStep } from './field-path.ts';
import { isSecretField, maskFor, secretFields } from './secret-fields.ts';

const field = (name: string): FieldStep => ({ kind: 'field', name });
const web: FieldStep = { kind: 'key', keys: { name: 'web' } };
const ENV = [['spec', 'containers', '1', 'env', '0', 'value']];

describe('fields that an order says are secret', () => {
  it('are found in documents, items of lists and names with a slash', () => {
    const item = { apiVersion: 'v1', kind: 'ConfigMap' };
    const list = { apiVersion: 'v1', kind: 'List', items: [{}, item] };
    const map = { apiVersion: 'v1', kind: 'ConfigMap' };
    const fields = secretFields([map, list], ['/0/data/a~1b', '/0/data/c', '/1/items/1/data/d']);
    assert.deepEqual(fields.get(map), [
      ['data', 'a/b'],
      ['data', 'c'],
    ]);
    assert.deepEqual(fields.get(item), [['data', 'd']]);
  });

  for (const { why, steps, want } of [
    {
      why: 'the field itself, in any item',
      steps: [field('spec'), field('containers'), web, field('env'), web, field('value')],
      want: true,
    },
    { why: 'what is above it', steps: [field('spec'), field('containers')], want: true },
    {
      why: 'what is below it',
      steps: [field('spec'), field('containers'), web, field('env'), web, field('value'), field('x')],
      want: true,
    },
    { why: 'not what is beside it', steps: [field('spec'), field('containers'), web, field('image')], want: false },
    { why: 'not another field', steps: [field('metadata'), field('labels')], want: false },
  ]) {
    it(`cover ${why}`, () => assert.equal(isSecretField(steps, ENV), want));
  }

  it('are masked in messages with the data of Secrets, encoded or not', () => {
    const documents = [
      { apiVersion: 'v1', kind: 'Secret', data: { password: btoa('hunter2!') } },
      { kind: 'Thing', spec: { key: 'swordfish' } },
    ];
    const mask = maskFor(documents, ['/1/spec/key']);
    assert.equal(mask(`bad "hunter2!", ${btoa('hunter2!')} and swordfish`), 'bad "(hidden)", (hidden) and (hidden)');
  });
});
