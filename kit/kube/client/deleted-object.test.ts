import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isStillThere } from './deleted-object.ts';

describe('isStillThere', () => {
  const deletionTimestamp = '2030-01-01T00:00:00Z';
  const rows = [
    { why: 'a Status says that it is gone', answer: { kind: 'Status', metadata: {} }, want: false },
    {
      why: 'some kinds answer with what was there',
      answer: { kind: 'ServiceAccount', metadata: { name: 'a' } },
      want: false,
    },
    {
      why: 'a Pod that had no time left',
      answer: { kind: 'Pod', metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0 } },
      want: false,
    },
    {
      why: 'a Pod that has time to stop',
      answer: { kind: 'Pod', metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } },
      want: true,
    },
    {
      why: 'a finalizer holds it',
      answer: { kind: 'ConfigMap', metadata: { deletionTimestamp, finalizers: ['a/b'] } },
      want: true,
    },
    {
      why: 'a namespace is held by its spec',
      answer: { kind: 'Namespace', metadata: { deletionTimestamp }, spec: { finalizers: ['kubernetes'] } },
      want: true,
    },
  ];
  for (const { why, answer, want } of rows) {
    it(why, () => assert.equal(isStillThere({ apiVersion: 'v1', ...answer }), want));
  }
});
