import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '#kit/std';
import { parseResourceName } from '#kit/std';
import { aContext } from '../testing/a-template.ts';
import { childName } from './child-name.ts';
import { type ChildDeployment, type DeploymentGroupSpec, MAX_GROUP_DEPTH } from './deployment-group.ts';
import { deploymentGroupManifest } from './deployment-group-manifest.ts';
import { findCycle, waitsOf } from './deployment-waits.ts';

const child = (name: string, manifest: Json = { type: 'inline', documents: [] }): ChildDeployment =>
  ({ name, manifest, placement: [{ type: 'all' }] }) as unknown as ChildDeployment;
const group = (children: readonly ChildDeployment[], steps?: readonly (readonly string[])[]): DeploymentGroupSpec => ({
  type: 'deploymentGroup',
  deployments: children,
  ...(steps && { sequence: steps.map((step) => ({ step })) }),
});
const within = (name: string, spec: DeploymentGroupSpec): ChildDeployment => child(name, spec);

const strategy = deploymentGroupManifest({
  childFaults: ({ manifest }, at) =>
    ['inline', 'deploymentGroup'].includes(manifest.type)
      ? []
      : [{ path: `${at}/manifest/type`, message: 'is unknown' }],
});
const pathsOf = (spec: DeploymentGroupSpec): string[] => {
  const parsed = strategy.parse(spec, '/manifest');
  return parsed.kind === 'faulty' ? parsed.faults.map(({ path }) => path) : [];
};

describe('a group', () => {
  test('is one document for a platform, with the names that its children have there', () => {
    const spec = group([child('db'), child('api')], [['db'], ['api']]);
    const generated = strategy.generate(spec, aContext());
    assert.deepEqual(generated.kind === 'generated' && generated.documents, [
      {
        apiVersion: 'fleetshift.io/v1',
        kind: 'DeploymentGroup',
        metadata: { name: 'web' },
        spec: {
          deployments: [
            { ...child('db'), name: 'web-db' },
            { ...child('api'), name: 'web-api' },
          ],
          sequence: [{ step: ['web-db'] }, { step: ['web-api'] }],
          onFailure: 'halt',
        },
      },
    ]);
    assert.deepEqual(strategy.fits(), ['local', 'platform']);
  });

  test('without a sequence has one step', () => {
    assert.deepEqual(
      [...waitsOf('g', group([child('a'), child('b')]), () => [])],
      [
        ['g', ['g-a', 'g-b']],
        ['g-a', []],
        ['g-b', []],
      ],
    );
  });

  const itself = group([child('a')]);
  (itself.deployments as ChildDeployment[]).push(within('b', itself));
  let deep = group([child('a')]);
  for (let depth = 0; depth < MAX_GROUP_DEPTH; depth += 1) deep = group([within('g', deep)]);

  for (const { why, spec, paths } of [
    { why: 'no children', spec: group([]), paths: ['/manifest/deployments'] },
    { why: 'a name that is none', spec: group([child('A b')]), paths: ['/manifest/deployments/0/name'] },
    { why: 'a name twice', spec: group([child('a'), child('a')]), paths: ['/manifest/deployments/1/name'] },
    { why: 'an empty step', spec: group([child('a')], [['a'], []]), paths: ['/manifest/sequence/1/step'] },
    { why: 'a step with a stranger', spec: group([child('a')], [['a', 'x']]), paths: ['/manifest/sequence/0/step/1'] },
    { why: 'a child in two steps', spec: group([child('a')], [['a'], ['a']]), paths: ['/manifest/sequence/1/step/0'] },
    {
      why: 'a child that the sequence forgets',
      spec: group([child('a'), child('b')], [['a']]),
      paths: ['/manifest/sequence'],
    },
    {
      why: 'a child with an unknown strategy',
      spec: group([child('a', { type: 'x' })]),
      paths: ['/manifest/deployments/0/manifest/type'],
    },
    {
      why: 'what is wrong in a group within it',
      spec: group([within('g', group([]))]),
      paths: ['/manifest/deployments/0/manifest/deployments'],
    },
    { why: 'a group within itself', spec: itself, paths: ['/manifest/deployments/1/manifest'] },
    { why: 'groups too deep', spec: deep, paths: [`/manifest${'/deployments/0/manifest'.repeat(MAX_GROUP_DEPTH)}`] },
    {
      why: 'all of it at once',
      spec: group([child('-'), child('a', { type: 'x' })], [['a']]),
      paths: ['/manifest/deployments/0/name', '/manifest/sequence', '/manifest/deployments/1/manifest/type'],
    },
  ]) {
    test(`refused: ${why}`, () => assert.deepEqual(pathsOf(spec), paths));
  }
});

describe('the name of a child', () => {
  const long = 'x'.repeat(61);
  for (const { why, of, short, want } of [
    { why: 'is the group and the child', of: 'shop', short: 'db', want: 'shop-db' },
    { why: 'that just fits is left alone', of: long, short: 'a', want: `${long}-a` },
    { why: 'that does not fit ends in a hash', of: `${long}x`, short: 'a', want: `${'x'.repeat(52)}-HASH` },
    {
      why: 'has one hyphen before the hash',
      of: 'x'.repeat(51),
      short: 'y'.repeat(20),
      want: `${'x'.repeat(51)}-HASH`,
    },
  ]) {
    test(why, () => {
      const name = childName(of, short);
      assert.equal(name.replace(/-[0-9a-f]{10}$/, '-HASH'), want);
      assert.equal(parseResourceName(name), name);
    });
  }

  test('is another for another child, however long the group', () => {
    const names = ['a', 'b', `${'c'.repeat(60)}1`, `${'c'.repeat(60)}2`].map((short) => childName(`${long}yy`, short));
    assert.equal(new Set(names).size, 4);
  });
});

describe('who waits for whom', () => {
  const none = (): readonly string[] => [];
  const gates =
    (waits: Readonly<Record<string, readonly string[]>>) =>
    ({ name }: ChildDeployment): readonly string[] =>
      waits[name] ?? [];
  const steps = group([child('a'), child('b')], [['a'], ['b']]);
  const nested = group([child('a'), within('g', group([child('x')]))], [['a'], ['g']]);

  for (const { why, spec, waits = none, want } of [
    { why: 'steps alone are no circle', spec: steps, want: undefined },
    { why: 'a gate on an earlier step is none', spec: steps, waits: gates({ b: ['w-a'] }), want: undefined },
    { why: 'a gate on somebody else is none', spec: steps, waits: gates({ b: ['other'] }), want: undefined },
    { why: 'a gate on a later step is one', spec: steps, waits: gates({ a: ['w-b'] }), want: ['w-a', 'w-b'] },
    { why: 'a gate on its own group is one', spec: steps, waits: gates({ b: ['w'] }), want: ['w', 'w-b'] },
    { why: 'a gate on itself is one', spec: steps, waits: gates({ a: ['w-a'] }), want: ['w-a'] },
    {
      why: 'two gates on each other are one',
      spec: group([child('a'), child('b')]),
      waits: gates({ a: ['w-b'], b: ['w-a'] }),
      want: ['w-a', 'w-b'],
    },
    { why: 'groups within groups are none', spec: nested, want: undefined },
    {
      why: 'a gate on what a later group brings is one',
      spec: nested,
      waits: gates({ a: ['w-g-x'] }),
      want: ['w-a', 'w-g-x'],
    },
  ]) {
    test(why, () => assert.deepEqual(findCycle(waitsOf('w', spec, waits)), want));
  }

  test('a long chain is followed to its end', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
    const chain = new Map(names.map((name, index) => [name, [names[index + 1] ?? 'end']]));
    assert.equal(findCycle(chain), undefined);
    assert.equal(findCycle(chain.set('end', ['n0']))?.length, 100_001);
  });

  test('many ways to the same place are each gone once', () => {
    const layers = Array.from({ length: 60 }, (_, layer) => [`${layer}-a`, `${layer}-b`]);
    const waits = new Map(
      layers.flatMap((layer, index) => layer.map((name) => [name, layers[index + 1] ?? []] as const)),
    );
    assert.equal(findCycle(waits), undefined);
  });
});
