import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { separatePolicy } from './delivery-policy.ts';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

function policy(fields: object, kind = 'DeliveryPolicy') {
  return { apiVersion: 'kubernetes.fleetshift.io/v1', kind, ...fields };
}

describe('the policy of an order', () => {
  it('is careful unless told, and is no object to apply', () => {
    assert.deepEqual(separatePolicy([MAP]), {
      kind: 'separated',
      policy: { mode: 'manage', onConflict: 'fail', onImmutable: 'fail', ignoreFields: [] },
      documents: [MAP],
    });
    const found = separatePolicy([policy({ metadata: { name: 'any' } }), MAP]);
    assert.deepEqual(found.kind === 'separated' && found.documents, [MAP]);
  });

  it('says what it says', () => {
    const ignoreFields = [{ apiGroup: 'apps', kind: 'Deployment', fields: ['/spec/replicas', 'spec.paused'] }];
    const found = separatePolicy([
      policy({ mode: 'observe', onConflict: 'adopt', onImmutable: 'replace', ignoreFields }),
    ]);
    assert.ok(found.kind === 'separated');
    const { ignoreFields: ignored, ...rest } = found.policy;
    assert.deepEqual(rest, { mode: 'observe', onConflict: 'adopt', onImmutable: 'replace' });
    assert.deepEqual(
      ignored[0]?.patterns.map(({ text }) => text),
      ['/spec/replicas', 'spec.paused'],
    );
  });

  const FAULTS: readonly { why: string; documents: readonly object[]; says: RegExp }[] = [
    {
      why: 'two of them',
      documents: [policy({}), MAP, policy({})],
      says: /^Document 3: there is already a DeliveryPolicy/,
    },
    { why: 'another kind', documents: [policy({}, 'Delivery')], says: /DeliveryPolicy only/ },
    {
      why: 'an unknown field',
      documents: [policy({ onconflict: 'adopt' })],
      says: /unknown field onconflict; known fields are mode, /,
    },
    { why: 'an unknown mode', documents: [policy({ mode: 'watch' })], says: /manage, observe, release/ },
    { why: 'an unknown conflict policy', documents: [policy({ onConflict: 'win' })], says: /fail, adopt, force/ },
    {
      why: 'an unknown policy for immutable fields',
      documents: [policy({ onImmutable: true })],
      says: /fail, replace/,
    },
    { why: 'no list', documents: [policy({ ignoreFields: {} })], says: /must be a list/ },
    { why: 'a text', documents: [policy({ ignoreFields: ['/a'] })], says: /entry 1: must be an object/ },
    { why: 'no kind', documents: [policy({ ignoreFields: [{ fields: ['/a'] }] })], says: /entry 1: kind/ },
    { why: 'no fields', documents: [policy({ ignoreFields: [{ kind: 'A', fields: [] }] })], says: /entry 1: fields/ },
    {
      why: 'a field that is none',
      documents: [policy({ ignoreFields: [{ kind: 'A', fields: ['/kind'] }] })],
      says: /"\/kind"/,
    },
    { why: 'a number', documents: [policy({ ignoreFields: [{ kind: 'A', fields: [7] }] })], says: /must be strings/ },
    {
      why: 'a group that is none',
      documents: [policy({ ignoreFields: [{ kind: 'A', apiGroup: 1, fields: ['/a'] }] })],
      says: /apiGroup/,
    },
    {
      why: 'a field of an entry',
      documents: [policy({ ignoreFields: [{ kind: 'A', group: '', fields: ['/a'] }] })],
      says: /unknown field group/,
    },
  ];
  for (const { why, documents, says } of FAULTS) {
    it(`is refused for ${why}`, () => {
      const found = separatePolicy(documents as []);
      assert.match(found.kind === 'fault' ? found.message : '', says);
    });
  }
});
