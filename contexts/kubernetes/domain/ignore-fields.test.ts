import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type FieldPattern, parseFieldPattern } from './field-pattern.ts';
import { forApply, patternsFor, withoutIgnored } from './ignore-fields.ts';
import { at } from './json-value.ts';
import type { KubeObject, ManagedFields } from './kube-object.ts';

function pattern(text: string): FieldPattern {
  const parsed = parseFieldPattern(text);
  assert.ok(typeof parsed !== 'string', text);
  return parsed;
}

function deployment(spec: object, managedFields: readonly ManagedFields[] = []): KubeObject {
  const metadata = { name: 'web', annotations: { 'a.b/c': '1', other: '2' }, managedFields };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as KubeObject;
}

const CONTAINERS = [
  { name: 'web', image: 'web:1', args: ['a', 'b'] },
  { name: 'proxy', image: 'proxy:1' },
];
const SPEC = { replicas: 3, template: { spec: { containers: CONTAINERS } } };

function containersWithout(text: string): unknown {
  return at(withoutIgnored(deployment(SPEC), [pattern(text)]), 'spec', 'template', 'spec', 'containers');
}

describe('a path of a field', () => {
  const BOTH: readonly { why: string; text: string; want: unknown }[] = [
    {
      why: 'a pointer',
      text: '/spec/template/spec/containers/0/image',
      want: [{ name: 'web', args: ['a', 'b'] }, CONTAINERS[1]],
    },
    {
      why: 'dots and a key',
      text: 'spec.template.spec.containers[name=proxy].image',
      want: [CONTAINERS[0], { name: 'proxy' }],
    },
    {
      why: 'a leading dot',
      text: '.spec.template.spec.containers[name=proxy].image',
      want: [CONTAINERS[0], { name: 'proxy' }],
    },
    { why: 'a whole item', text: 'spec.template.spec.containers[name=proxy]', want: [CONTAINERS[0]] },
    {
      why: 'any item',
      text: 'spec.template.spec.containers[*].image',
      want: [{ name: 'web', args: ['a', 'b'] }, { name: 'proxy' }],
    },
    {
      why: 'any item by a pointer',
      text: '/spec/template/spec/containers/*/args',
      want: [{ name: 'web', image: 'web:1' }, CONTAINERS[1]],
    },
    { why: 'several keys', text: 'spec.template.spec.containers[name=proxy,image=proxy:2].image', want: CONTAINERS },
    { why: 'a field that is not there', text: '/spec/paused', want: CONTAINERS },
  ];
  for (const { why, text, want } of BOTH) it(`may be ${why}`, () => assert.deepEqual(containersWithout(text), want));

  it('may have dots and slashes in its names', () => {
    for (const text of ['metadata.annotations["a.b/c"]', '/metadata/annotations/a.b~1c']) {
      assert.deepEqual(withoutIgnored(deployment({}), [pattern(text)]).metadata.annotations, { other: '2' });
    }
    assert.deepEqual(pattern('data["a\\"b"]').steps.at(-1), { kind: 'name', name: 'a"b' });
  });

  it('never takes the object apart', () => {
    for (const text of [
      '',
      '/',
      '*',
      '/*',
      '/kind',
      'metadata',
      'apiVersion',
      '/spec//x',
      '/a~2',
      'spec..x',
      'spec[',
      'spec[a',
      'spec[a]',
      'spec["a]',
      'spec.ports[0]',
      '/spec/ports/0',
      '[name=a]',
    ]) {
      assert.equal(typeof parseFieldPattern(text), 'string', text);
    }
  });

  it('is for a kind, and for a group if one is named', () => {
    const patterns = [pattern('/spec/replicas')];
    const of = (entry: object) => patternsFor(deployment({}), [{ kind: 'Deployment', patterns, ...entry }]).length;
    assert.deepEqual(
      [of({}), of({ apiGroup: 'apps' }), of({ apiGroup: '' }), of({ kind: 'StatefulSet' })],
      [1, 1, 0, 0],
    );
  });
});

describe('what is sent', () => {
  const autoscaled: ManagedFields = {
    manager: 'kube-controller-manager',
    operation: 'Update',
    subresource: 'scale',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  };
  const replicas = pattern('/spec/replicas');
  const sent = (live: KubeObject | undefined, its = replicas) => at(forApply(deployment(SPEC), live, [its]), 'spec');

  it('is what the document says, for an object that is not there yet', () => {
    assert.equal(at(sent(undefined), 'replicas'), 3);
  });

  it('leaves a field to who has it', () => {
    assert.equal(at(sent(deployment({ replicas: 9 }, [autoscaled])), 'replicas'), undefined);
  });

  it('leaves a field as it is as long as nobody else has it, since without it the server would remove it', () => {
    const ours: ManagedFields = { ...autoscaled, manager: 'fleetshift', operation: 'Apply' };
    assert.equal(at(sent(deployment({ replicas: 9 }, [ours])), 'replicas'), 9);
    assert.equal(at(sent(deployment({}, [ours])), 'replicas'), undefined);
  });

  it('leaves a field to who has all that is around it', () => {
    const whole: ManagedFields = { manager: 'x', operation: 'Update', fieldsV1: { 'f:spec': {} } };
    assert.equal(at(sent(deployment({ replicas: 9 }, [whole])), 'replicas'), undefined);
  });

  it('finds items by name, whatever their order', () => {
    const live = deployment({
      template: {
        spec: {
          containers: [
            { name: 'proxy', image: 'p:9' },
            { name: 'web', image: 'w:9' },
          ],
        },
      },
    });
    const spec = sent(live, pattern('spec.template.spec.containers[*].image'));
    assert.deepEqual(at(spec, 'template', 'spec', 'containers'), [
      { name: 'web', image: 'w:9', args: ['a', 'b'] },
      { name: 'proxy', image: 'p:9' },
    ]);
  });

  it('leaves an item to who has a field of it', () => {
    const theirs: ManagedFields = {
      manager: 'x',
      operation: 'Update',
      fieldsV1: {
        'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"proxy"}': { 'f:image': {} } } } } },
      },
    };
    const live = deployment(SPEC, [theirs]);
    for (const text of ['spec.template.spec.containers[name=proxy]', '/spec/template/spec/containers/1/image']) {
      const list = at(sent(live, pattern(text)), 'template', 'spec', 'containers') as readonly object[];
      assert.ok(!JSON.stringify(list).includes('proxy:1'), text);
    }
    const web = at(
      sent(live, pattern('spec.template.spec.containers[name=web].image')),
      'template',
      'spec',
      'containers',
    );
    assert.deepEqual(web, CONTAINERS);
  });

  it('changes nothing but what is ignored', () => {
    const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(value, value, fc.constantFrom('a', 'b', 'zz'), (spec, there, field) => {
        const [desired, live] = [deployment(spec), deployment(there)];
        const next = at(forApply(desired, live, [pattern(`spec.${field}`)]), 'spec');
        const { [field]: _one, ...rest } = next as Record<string, unknown>;
        const { [field]: _two, ...before } = spec;
        assert.deepEqual(rest, before);
        if (field in spec) assert.deepEqual(at(next, field), there[field]);
      }),
    );
  });
});
