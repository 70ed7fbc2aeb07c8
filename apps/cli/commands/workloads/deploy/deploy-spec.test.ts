import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../command.ts';
import { type DeployFlags, deploySpec } from './deploy-spec.ts';

const READS = 'a: ${values.a} ${values.d} ${values.e}';
const NOTHING: DeployFlags = { toTargets: [], toAll: false };

for (const { why, flags, want } of [
  { why: 'nothing is said', flags: {}, want: {} },
  {
    why: 'documents as they are',
    flags: { documents: [{ kind: 'ConfigMap' }] },
    want: { manifest: { type: 'inline', documents: [{ kind: 'ConfigMap' }] } },
  },
  {
    why: 'a template with its values',
    flags: { template: 'a: ${values.b}', values: { b: 1 } },
    want: { manifest: { type: 'template', template: 'a: ${values.b}', values: { b: 1 } } },
  },
  {
    why: 'a template with a value of its own',
    flags: { template: READS, values: { a: { b: 1 } }, set: ['a.c=true', 'd=1.5', 'e=x=y', 'a.b=two'] },
    want: {
      manifest: { type: 'template', template: READS, values: { a: { b: 'two', c: true }, d: 1.5, e: 'x=y' } },
    },
  },
  {
    why: 'by labels',
    flags: { to: 'env=prod,tier in (a,b)' },
    want: {
      placement: [
        {
          type: 'selector',
          matchLabels: { env: 'prod' },
          matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }],
        },
      ],
    },
  },
  { why: 'by name', flags: { toTargets: ['a', 'b'] }, want: { placement: [{ type: 'static', targets: ['a', 'b'] }] } },
  { why: 'everywhere', flags: { toAll: true }, want: { placement: [{ type: 'all' }] } },
  {
    why: 'batches by share',
    flags: { rollout: 'rolling', batchSize: '10%' },
    want: { rollout: { type: 'rolling', batchSize: '10%' } },
  },
  { why: 'batches mean rolling', flags: { batchSize: '5' }, want: { rollout: { type: 'rolling', batchSize: 5 } } },
  {
    why: 'a budget alone is that of an immediate rollout',
    flags: { maxUnavailable: '20%', maxFailures: '2', maxConcurrency: '7' },
    want: { rollout: { type: 'immediate', maxUnavailable: '20%', maxFailures: 2, maxConcurrency: 7 } },
  },
  { why: 'a namespace', flags: { namespace: 'shop' }, want: { namespace: 'shop' } },
] as const) {
  test(`flags: ${why}`, () => assert.deepEqual(deploySpec({ ...NOTHING, ...flags }), want));
}

const ROLLING = { rollout: { type: 'rolling', batchSize: 5, maxFailures: 1 } };

for (const { why, flags, want } of [
  {
    why: 'another budget of the same rollout',
    flags: { maxFailures: '3' },
    want: { type: 'rolling', batchSize: 5, maxFailures: 3 },
  },
  {
    why: 'other batches of it',
    flags: { batchSize: '10%' },
    want: { type: 'rolling', batchSize: '10%', maxFailures: 1 },
  },
  { why: 'the same rollout, said again', flags: { rollout: 'rolling' }, want: ROLLING.rollout },
  { why: 'another rollout altogether', flags: { rollout: 'immediate' }, want: { type: 'immediate' } },
] as const) {
  test(`flags for what is there: ${why}`, () => {
    assert.deepEqual(deploySpec({ ...NOTHING, ...flags }, ROLLING), { rollout: want });
  });
}

test('flags for what is there: one value of its template, and nothing else', () => {
  const manifest = { type: 'template', template: 'x', values: { a: 1, b: 2 }, overrides: [] };
  const spec = deploySpec({ ...NOTHING, set: ['b=3'] }, { manifest });
  assert.deepEqual(spec, { manifest: { ...manifest, values: { a: 1, b: 3 } } });
});

for (const { why, flags } of [
  { why: 'a value of no template', flags: { documents: [], set: ['a=1'] } },
  { why: 'a value that is none', flags: { template: 'x', set: ['a'] } },
  { why: 'a value of nothing', flags: { set: ['a=1'] } },
  { why: 'documents and a template', flags: { documents: [], template: 'x' } },
  { why: 'values of nothing', flags: { values: {} } },
  { why: 'two placements', flags: { to: 'env=prod', toAll: true } },
  { why: 'labels that are none', flags: { to: '=prod' } },
  { why: 'batches without a size', flags: { rollout: 'rolling' } },
  { why: 'a size without batches', flags: { rollout: 'immediate', batchSize: '5' } },
  { why: 'a share of more than all', flags: { batchSize: '101%' } },
  { why: 'a number that is none', flags: { maxFailures: 'few' } },
] as const) {
  test(`no flags: ${why}`, () => assert.throws(() => deploySpec({ ...NOTHING, ...flags }), UsageError));
}

for (const { why, template, set } of [
  { why: 'that the template reads', template: 'a: ${values.image.tag}', set: 'image.tag=2' },
  { why: 'within a map that it reads', template: 'a: ${values.image}', set: 'image.tag=2' },
  { why: 'around a value that it reads', template: 'a: ${values.image.tag}', set: 'image=2' },
  { why: 'when it reads all values', template: 'a: ${toJson(values)}', set: 'image.tag=2' },
]) {
  test(`a value can be set ${why}`, () => assert.ok(deploySpec({ ...NOTHING, template, set: [set] })['manifest']));
}

test('a value that neither the template nor the values have is refused, with the names that they have', () => {
  const manifest = { type: 'template', template: 'a: ${values.greeting} ${values.image.tag}', values: { size: 1 } };
  assert.throws(() => deploySpec({ ...NOTHING, set: ['greetings=hi'] }, { manifest }), {
    message:
      '--set: the template has no value "greetings", it has the values greeting, image.tag, size; did you mean greeting?',
  });
});
