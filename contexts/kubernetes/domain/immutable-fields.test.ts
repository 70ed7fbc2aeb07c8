import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiStatus } from './api-status.ts';
import { immutableFields, immutableStep } from './immutable-fields.ts';
import type { ObjectKey } from './kube-object.ts';

function invalid(...causes: { reason?: string; message: string; field?: string }[]): ApiStatus {
  return {
    code: 422,
    reason: 'Invalid',
    message: causes.map(({ message }) => message).join(', '),
    details: { causes },
  };
}

const ROWS: readonly { why: string; status: ApiStatus; want: readonly string[] | undefined }[] = [
  {
    why: 'the selector of a Deployment',
    status: invalid({
      reason: 'FieldValueInvalid',
      message: 'Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
      field: 'spec.selector',
    }),
    want: ['spec.selector'],
  },
  {
    why: 'a StatefulSet, which names no field',
    status: invalid({
      reason: 'FieldValueForbidden',
      message:
        "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      field: 'spec',
    }),
    want: ['spec'],
  },
  {
    why: 'a Secret that was closed',
    status: invalid({ message: 'Forbidden: field is immutable when `immutable` is set', field: 'data' }),
    want: ['data'],
  },
  {
    why: 'the role of a binding',
    status: invalid({ message: 'Invalid value: {"kind":"Role","name":"b"}: cannot change roleRef', field: 'roleRef' }),
    want: ['roleRef'],
  },
  {
    why: 'the address of a Service',
    status: invalid({ message: 'Invalid value: "10.0.0.9": may not change once set', field: 'spec.clusterIPs[0]' }),
    want: ['spec.clusterIPs[0]'],
  },
  {
    why: 'a Pod',
    status: invalid({
      message: 'Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
      field: 'spec',
    }),
    want: ['spec'],
  },
  {
    why: 'a StorageClass',
    status: invalid({ message: 'Forbidden: updates to parameters are forbidden.', field: 'parameters' }),
    want: ['parameters'],
  },
  {
    why: 'several, each once and in order',
    status: invalid(
      { message: 'field is immutable', field: 'spec.template' },
      { message: 'field is immutable', field: 'spec.selector' },
      { message: 'field is immutable', field: 'spec.selector' },
    ),
    want: ['spec.selector', 'spec.template'],
  },
  {
    why: 'a rule of a custom kind, by a server that gives no causes',
    status: { code: 422, reason: 'Invalid', message: 'Gadget "g" is invalid: spec.size: Value is immutable' },
    want: [],
  },
  {
    why: 'something else is wrong as well: a new object would be refused, too',
    status: invalid(
      { message: 'field is immutable', field: 'spec.selector' },
      { message: 'Required value', field: 'spec.template' },
    ),
    want: undefined,
  },
  { why: 'only wrong', status: invalid({ message: 'Required value', field: 'spec' }), want: undefined },
  { why: 'another refusal', status: { code: 403, reason: 'Forbidden', message: 'immutable' }, want: undefined },
];

describe('a refusal because a field never changes', () => {
  for (const { why, status, want } of ROWS) it(why, () => assert.deepEqual(immutableFields(status), want));

  const key = (apiVersion: string, kind: string): ObjectKey => ({ apiVersion, kind, namespace: 'shop', name: 'a' });

  it('is told with the way out, unless replacing was asked for', () => {
    const refused = immutableStep(key('apps/v1', 'Deployment'), ['spec.selector'], 'fail');
    assert.match(refused.kind === 'refuse' ? refused.message : '', /shop\/a: spec\.selector .*onImmutable: replace/);
    assert.deepEqual(immutableStep(key('apps/v1', 'Deployment'), [], 'replace'), { kind: 'replace' });
  });

  it('never has data thrown away', () => {
    const held = [
      ['v1', 'Namespace'],
      ['v1', 'PersistentVolumeClaim'],
      ['v1', 'PersistentVolume'],
      ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ] as const;
    for (const [apiVersion, kind] of held) {
      const step = immutableStep(key(apiVersion, kind), ['spec'], 'replace');
      assert.match(step.kind === 'refuse' ? step.message : '', /never replaced/, kind);
    }
  });
});
