import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aRevision } from '../../testing/a-revision.ts';
import { contentHashOf } from './revision.ts';

const { spec } = aRevision();

for (const { what, changes, isOther } of [
  { what: 'manifest', changes: { manifest: { type: 'inline', documents: [] } }, isOther: true },
  { what: 'config', changes: { config: { size: 7 } }, isOther: true },
  { what: 'namespace', changes: { namespace: 'elsewhere' }, isOther: true },
  { what: 'placement', changes: { placement: [{ type: 'static', targets: ['a'] }] }, isOther: false },
  { what: 'rollout', changes: { rollout: { type: 'immediate', maxFailures: 7 } }, isOther: false },
] as const) {
  test(`another ${what} ${isOther ? 'is' : 'is not'} other content`, () => {
    assert.equal(contentHashOf({ spec: { ...spec, ...changes } }) !== contentHashOf({ spec }), isOther);
  });
}
