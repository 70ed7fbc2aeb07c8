import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { createPlacementRegistry } from './placement-registry.ts';
import type { PlacementSpec, PlacementStrategy } from './placement-strategy.ts';
import { resolvePlacement } from './resolve-placement.ts';
import { contextOf, excludedBy, idOf, idsOf, LOCAL, placedBy, viewOf } from './testing/view-of.ts';

const ALL: readonly PlacementSpec[] = [{ type: 'all' }];
const EU: PlacementSpec = { type: 'selector', matchLabels: { region: 'eu' } };
const eu = (name: string, more = {}) => viewOf(name, { labels: { region: 'eu' }, ...more });

function addon(choose: PlacementStrategy['choose']) {
  return createPlacementRegistry([{ type: 'addon', chooses: 'among', faults: () => [], choose }]);
}

describe('a placement', () => {
  it('selects by labels', () => {
    assert.deepEqual(placedBy(resolvePlacement([EU], [eu('a'), viewOf('b'), eu('c')], contextOf())), ['a', 'c']);
  });

  it('composes: each chooses from what the one before it chose', () => {
    const specs = [EU, { type: 'static', targets: ['c', 'b'] }];
    assert.deepEqual(placedBy(resolvePlacement(specs, [eu('a'), viewOf('b'), eu('c')], contextOf())), ['c']);
  });

  it('is all of the pool, and never the platform itself', () => {
    assert.deepEqual(placedBy(resolvePlacement(ALL, [viewOf('a'), LOCAL], contextOf())), ['a']);
  });

  it('is the platform itself for local alone', () => {
    assert.deepEqual(placedBy(resolvePlacement([{ type: 'local' }], [viewOf('a')], contextOf())), ['local']);
    const { local: _, ...unknown } = contextOf();
    assert.equal(resolvePlacement([{ type: 'local' }], [viewOf('a')], unknown).kind, 'unsure');
  });

  it('that goes from all to local and back leaves the others, which are not gone', () => {
    const toLocal = resolvePlacement([{ type: 'local' }], [viewOf('a')], contextOf({ previous: idsOf('a') }));
    assert.deepEqual(excludedBy(toLocal), ['a: NotSelected']);
    const back = resolvePlacement(ALL, [viewOf('a')], contextOf({ previous: idsOf('local') }));
    assert.deepEqual(excludedBy(back), ['local: NotSelected']);
  });

  it('takes what looks like a uid for one, never for the name of another target', () => {
    const uid = '018f4d6e-7c3a-7b21-9c55-0123456789ab';
    const specs = [{ type: 'static', targets: [uid] }];
    const named = viewOf(uid);
    assert.deepEqual(placedBy(resolvePlacement(specs, [named], contextOf())), []);
    const owner = viewOf('owner', { id: uid as TargetId });
    const resolution = resolvePlacement(specs, [named, owner], contextOf());
    assert.deepEqual(resolution.kind === 'sure' && resolution.targets, [uid]);
  });

  it('that names a target which has left says so, and is sure of the others', () => {
    const specs = [{ type: 'static', targets: ['a', 'b'] }];
    assert.deepEqual(resolvePlacement(specs, [viewOf('a')], contextOf({ previous: idsOf('a', 'b') })), {
      kind: 'sure',
      targets: [idOf('a')],
      excluded: [{ id: idOf('b'), why: 'Gone', message: 'is no longer in the workspace' }],
      retained: [],
      missing: ['b'],
    });
  });

  it('misses nothing that is there and not selected, or not to be placed', () => {
    const specs = [EU, { type: 'static', targets: ['a', 'b'] }];
    const resolution = resolvePlacement(specs, [viewOf('a'), eu('b', { lifecycle: 'Cordoned' })], contextOf());
    assert.deepEqual(resolution.kind === 'sure' && resolution.missing, []);
  });

  it('excludes nobody whom it chose, whatever a strategy says besides', () => {
    const left = [{ id: idOf('a'), why: 'Outscored', message: 'for a test' }] as const;
    const registry = addon(() => ({ chosen: [idOf('a')], left }));
    const resolution = resolvePlacement([{ type: 'addon' }], [viewOf('a')], contextOf({ registry }));
    assert.deepEqual([placedBy(resolution), excludedBy(resolution)], [['a'], []]);
  });

  it('survives being stored', () => {
    const resolution = resolvePlacement(ALL, [eu('a'), eu('b', { lifecycle: 'Cordoned' })], contextOf());
    assert.deepEqual(JSON.parse(JSON.stringify(resolution)), resolution);
  });
});

describe('what a target is', () => {
  const rows = [
    { why: 'active and new', view: eu('a'), had: false, placed: ['a'], excluded: [] },
    {
      why: 'cordoned and new',
      view: eu('a', { lifecycle: 'Cordoned' }),
      had: false,
      placed: [],
      excluded: ['a: Cordoned'],
    },
    { why: 'cordoned, and has it', view: eu('a', { lifecycle: 'Cordoned' }), had: true, placed: ['a'], excluded: [] },
    {
      why: 'cordoned, has it, and is not selected any more',
      view: viewOf('a', { lifecycle: 'Cordoned' }),
      had: true,
      placed: [],
      excluded: ['a: NotSelected'],
    },
    {
      why: 'cordoned, and would not be selected',
      view: viewOf('a', { lifecycle: 'Cordoned' }),
      had: false,
      placed: [],
      excluded: [],
    },
    {
      why: 'on its way out',
      view: eu('a', { lifecycle: 'Deprovisioning' }),
      had: true,
      placed: [],
      excluded: ['a: Deprovisioning'],
    },
    {
      why: 'on its way out, and not selected any more either',
      view: viewOf('a', { lifecycle: 'Deprovisioning' }),
      had: true,
      placed: [],
      excluded: ['a: Deprovisioning'],
    },
    {
      why: 'of a type that the manifest does not fit',
      view: eu('a', { type: 'directory' }),
      had: false,
      placed: [],
      excluded: ['a: UnfitTargetType'],
    },
    {
      why: 'of such a type, and not selected',
      view: viewOf('a', { type: 'directory' }),
      had: false,
      placed: [],
      excluded: [],
    },
    {
      why: 'taking other manifests',
      view: eu('a', { manifestTypes: ['helm'] }),
      had: false,
      placed: [],
      excluded: ['a: UnfitManifestType'],
    },
    {
      why: 'taking these manifests too',
      view: eu('a', { manifestTypes: ['helm', 'yaml'] }),
      had: false,
      placed: ['a'],
      excluded: [],
    },
    { why: 'not selected, and never was', view: viewOf('a'), had: false, placed: [], excluded: [] },
  ] as const;
  for (const { why, view, had, placed, excluded } of rows) {
    it(`decides: ${why}`, () => {
      const fits = { targetTypes: ['kubernetes'], manifestTypes: ['yaml'] };
      const context = contextOf({ previous: had ? idsOf('a') : new Set(), fits });
      const resolution = resolvePlacement([EU], [view], context);
      assert.deepEqual([placedBy(resolution), excludedBy(resolution)], [placed, excluded]);
    });
  }

  it('is told of one that stays only since it has it', () => {
    const pool = [eu('a', { lifecycle: 'Cordoned' }), eu('b')];
    const resolution = resolvePlacement([EU], pool, contextOf({ previous: idsOf('a', 'b') }));
    assert.deepEqual(resolution.kind === 'sure' && resolution.retained, [
      { id: idOf('a'), why: 'Cordoned', message: 'is cordoned, and keeps what it has' },
    ]);
  });
});

describe('a resolution is unsure', () => {
  const pool = [viewOf('a')];
  for (const { why, specs, registry } of [
    { why: 'when nobody knows the type', specs: [{ type: 'gone-with-its-addon' }], registry: undefined },
    { why: 'when there is no placement', specs: [], registry: undefined },
    { why: 'when a stored spec has lost its shape', specs: [{ type: 'static' }], registry: undefined },
    {
      why: 'when a strategy throws',
      specs: [{ type: 'addon' }],
      registry: addon(() => {
        throw new Error('not synced');
      }),
    },
    {
      why: 'when a strategy reaches beyond its pool',
      specs: [{ type: 'addon' }],
      registry: addon(() => ({ chosen: [idOf('a'), idOf('elsewhere')] })),
    },
    {
      why: 'when a strategy answers something else',
      specs: [{ type: 'addon' }],
      registry: addon(() => ({}) as { chosen: [] }),
    },
  ]) {
    it(why, () => {
      const resolution = resolvePlacement(specs, pool, contextOf(registry && { registry }));
      assert.equal(resolution.kind, 'unsure');
      assert.ok(resolution.kind === 'unsure' && resolution.why.length > 0);
    });
  }
});
