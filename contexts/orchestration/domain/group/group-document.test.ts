import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '#kit/std';
import { digestGroup, faultsText, parseGroupDocuments } from './group-document.ts';

const child = (name: string, more: JsonObject = {}): JsonObject => ({ name, manifest: { type: 'inline' }, ...more });
const document = (spec: Json, its: JsonObject = {}): JsonObject => ({
  apiVersion: 'fleetshift.io/v1',
  kind: 'DeploymentGroup',
  spec,
  ...its,
});
const group = document({ deployments: [child('app-db')], sequence: [{ step: ['app-db'] }], onFailure: 'halt' });

describe('what the platform takes as a target', () => {
  test('is one group', () => {
    const parsed = parseGroupDocuments([group]);
    assert.deepEqual(parsed.kind === 'parsed' && parsed.value, {
      type: 'deploymentGroup',
      deployments: [child('app-db')],
      sequence: [{ step: ['app-db'] }],
      onFailure: 'halt',
    });
  });

  for (const { why, documents, says } of [
    { why: 'nothing', documents: [], says: 'must be one DeploymentGroup document, but there are 0 documents' },
    {
      why: 'two groups',
      documents: [group, group],
      says: 'must be one DeploymentGroup document, but there are 2 documents',
    },
    {
      why: 'something else',
      documents: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      says: 'must be a DeploymentGroup of fleetshift.io/v1; this is v1 ConfigMap',
    },
    {
      why: "somebody else's group",
      documents: [document({}, { apiVersion: 'example.com/v1' })],
      says: 'must be a DeploymentGroup of fleetshift.io/v1; this is example.com/v1 DeploymentGroup',
    },
    { why: 'a group of nothing', documents: [document({})], says: '/spec/deployments must be a list' },
    {
      why: 'children that are none, in steps that are none, with a policy that is none',
      documents: [document({ deployments: [{ name: 'a' }, 1], sequence: ['a'], onFailure: 'panic' })],
      says:
        '/spec/deployments/0 must have a name, and a manifest with a type; ' +
        '/spec/deployments/1 must have a name, and a manifest with a type; ' +
        '/spec/sequence must be a list of { step: [names] }; /spec/onFailure must be one of halt, rollback',
    },
    {
      why: 'a sequence that forgets somebody',
      documents: [document({ deployments: [child('a'), child('b')], sequence: [{ step: ['a'] }] })],
      says: '/spec/sequence must have b in one of its steps',
    },
  ]) {
    test(`is not ${why}`, () => {
      const parsed = parseGroupDocuments(documents);
      assert.equal(parsed.kind === 'faulty' && faultsText(parsed.faults), says);
    });
  }
});

test('a digest tells children apart by their fields, and holds nothing of them', () => {
  const digestOf = (more: JsonObject) => {
    const parsed = parseGroupDocuments([document({ deployments: [child('a', more)] })]);
    return parsed.kind === 'parsed' ? digestGroup(parsed.value).deployments[0] : undefined;
  };
  const [one, same, other] = [
    digestOf({ config: { a: 1, b: 2 } }),
    digestOf({ config: { b: 2, a: 1 } }),
    digestOf({ config: {} }),
  ];
  assert.deepEqual(one, same);
  assert.notEqual(one?.['config'], other?.['config']);
  assert.deepEqual(one?.manifest, other?.manifest);
  assert.ok(!JSON.stringify(digestOf({ config: { password: 'hunter2' } })).includes('hunter2'));
});
