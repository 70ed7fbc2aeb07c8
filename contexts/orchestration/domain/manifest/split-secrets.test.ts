import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#kit/std';
import { REDACTED } from '#kit/std';
import { joinSecrets, maskSecrets, splitSecrets } from './split-secrets.ts';

const fingerprint = (secret: string): string => `keyed:${secret.length}:${secret.charCodeAt(1)}`;
const secret = (more: Record<string, Json>): Json => ({ apiVersion: 'v1', kind: 'Secret', ...more });

for (const { why, value, masked } of [
  {
    why: 'data and stringData of a Secret are, each for itself, and the names of the entries are not',
    value: secret({ type: 'Opaque', data: { a: 'QQ==' }, stringData: { b: 'plain' } }),
    masked: secret({ type: 'Opaque', data: { a: REDACTED }, stringData: { b: REDACTED } }),
  },
  {
    why: 'what kubectl keeps of a Secret in its annotation is, the other annotations are not',
    value: secret({
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'x' } },
    }),
    masked: secret({
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': REDACTED, team: 'x' } },
    }),
  },
  {
    why: 'data of a strange shape is as a whole',
    value: secret({ data: ['QQ=='] }),
    masked: secret({ data: REDACTED }),
  },
  {
    why: 'a Secret in a list is found',
    value: { apiVersion: 'v1', kind: 'List', items: [secret({ data: { a: 'QQ==' } })] },
    masked: { apiVersion: 'v1', kind: 'List', items: [secret({ data: { a: REDACTED } })] },
  },
  {
    why: 'a marked value is, at any depth and of any type',
    value: { spec: [{ password: { $secret: { user: 'u', list: [1] } } }] },
    masked: { spec: [{ password: REDACTED }] },
  },
  {
    why: 'a Secret of another API group is not the one of Kubernetes',
    value: { apiVersion: 'example.io/v1', kind: 'Secret', data: { a: 'QQ==' } },
    masked: { apiVersion: 'example.io/v1', kind: 'Secret', data: { a: 'QQ==' } },
  },
] satisfies readonly { why: string; value: Json; masked: Json }[]) {
  test(`what is secret: ${why}`, () => {
    assert.deepEqual(maskSecrets<Json>(value), masked);
    assert.deepEqual(maskSecrets<Json>(splitSecrets<Json>(value, fingerprint).open), masked);
  });
}

test('the same secret in two places is kept once', () => {
  const { open, secrets } = splitSecrets<Json>([{ $secret: 'hunter2' }, { $secret: 'hunter2' }], fingerprint);
  assert.deepEqual(Object.values(secrets), ['hunter2']);
  assert.deepEqual(joinSecrets<Json>(open, secrets), { kind: 'joined', value: ['hunter2', 'hunter2'] });
});

test('a secret that is not there is named by its reference, and nothing is delivered', () => {
  const { open } = splitSecrets<Json>({ a: { $secret: 'x' }, b: { $secret: 'yy' } }, fingerprint);
  const joined = joinSecrets(open, { [fingerprint('"x"')]: 'x' });
  assert.deepEqual(joined, { kind: 'missing', references: [fingerprint('"yy"')] });
});

test('an object that somebody wrote like a reference does not get at a secret', () => {
  const forged = { stolen: { $secretRef: fingerprint('"x"') }, own: { $secret: 'x' } };
  const { open, secrets } = splitSecrets<Json>(forged, fingerprint);
  assert.deepEqual(joinSecrets<Json>(open, secrets), { kind: 'joined', value: { ...forged, own: 'x' } });
});
