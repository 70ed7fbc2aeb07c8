import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aTarget, placeAt } from '../testing/a-target.ts';
import { connectTarget } from './connect-target.ts';
import { placementViewOf } from './placement-view.ts';
import type { Target } from './target.ts';
import { eventsOf } from './target-event.ts';

const before = aTarget({
  labels: { env: 'prod' },
  reportedLabels: { 'agent.fleetshift.io/zone': 'a' },
  properties: { registry: 'x', deep: { list: [1, { b: 2 }] }, 'a/b~c': 1 },
});
const told = (its: Partial<Target>): string[] =>
  eventsOf(before, { ...before, ...its }).map((event) => {
    if (event.type === 'target.placementChanged') {
      return `placement: ${event.fields.join(', ')} at ${event.paths.join(', ')}`;
    }
    if (event.type === 'target.propertiesChanged') return `properties: ${event.paths.join(', ')}`;
    return `${event.type.slice(7)} in ${event.target.workspace.name}`;
  });

describe('the placement view', () => {
  it('has the labels of both, and nothing of the connection, the properties or the place', () => {
    assert.deepEqual(placementViewOf(before), {
      id: before.uid,
      name: 'prod-1',
      type: 'kubernetes',
      labels: { 'agent.fleetshift.io/zone': 'a', env: 'prod' },
      advertisedManifestTypes: [],
      lifecycle: 'Active',
    });
  });
});

describe('of a change of a target', () => {
  for (const { why, its, want } of [
    { why: "a person's label", its: { labels: {} }, want: ['updated in root', 'placement: labels at /labels/env'] },
    {
      why: "an agent's label",
      its: { reportedLabels: {} },
      want: ['updated in root', 'placement: labels at /labels/agent.fleetshift.io~1zone'],
    },
    { why: 'the lifecycle', its: { lifecycle: 'Cordoned' }, want: ['updated in root', 'placement: lifecycle at '] },
    {
      why: 'all of the view',
      its: { labels: {}, lifecycle: 'Cordoned', advertisedManifestTypes: ['helm'] },
      want: ['updated in root', 'placement: labels, advertisedManifestTypes, lifecycle at /labels/env, /manifestTypes'],
    },
    { why: 'conditions', its: { conditions: [] }, want: ['updated in root'] },
    {
      why: 'a property',
      its: { properties: { ...before.properties, registry: 'y' } },
      want: ['updated in root', 'properties: /properties/registry'],
    },
    {
      why: 'something deep in a property',
      its: { properties: { ...before.properties, deep: { list: [1, { b: 2 }], more: { a: 1 } }, 'a/b~c': 2 } },
      want: ['updated in root', 'properties: /properties/a~1b~0c, /properties/deep/more'],
    },
    {
      why: 'something in a list',
      its: { properties: { ...before.properties, deep: { list: [1, { b: 3 }] } } },
      want: ['updated in root', 'properties: /properties/deep/list'],
    },
    {
      why: 'what the agent reports',
      its: { reportedProperties: { version: '2' } },
      want: ['updated in root', 'properties: /properties/version'],
    },
    {
      why: 'what the agent reports and a person says otherwise',
      its: { reportedProperties: { registry: 'z' } },
      want: ['updated in root'],
    },
    {
      why: 'the workspace',
      its: { workspace: placeAt('/root/emea/') },
      want: ['removed in root', 'assigned in emea', 'updated in emea'],
    },
  ] satisfies { why: string; its: Partial<Target>; want: string[] }[]) {
    it(`in ${why} is told what it is`, () => assert.deepEqual(told(its), want));
  }

  it('in its connection placement is told nothing, and others only when the state is another', () => {
    const connected = connectTarget(before, { target: before.name, state: 'Connected', time: 5_000 });
    const seenAgain = connectTarget(connected, { target: before.name, state: 'Connected', time: 6_000 });
    assert.deepEqual(
      eventsOf(before, connected).map(({ type }) => type),
      ['target.connectionChanged'],
    );
    assert.deepEqual(eventsOf(connected, seenAgain), []);
  });

  it('that is none nothing is told', () => assert.deepEqual(eventsOf(before, before), []));
});

describe('a connection', () => {
  const report = (state: 'Connected' | 'Disconnected', time: number) => ({ target: before.name, state, time });

  it('is another version of the target, and no other generation', () => {
    const { connection, version, generation, updateTime } = connectTarget(before, report('Connected', 5_000));
    assert.deepEqual(connection, { state: 'Connected', lastSeenTime: 5_000 });
    assert.deepEqual([version, generation, updateTime], [2, 1, 5_000]);
  });

  it('is what the later report says, whichever arrives last', () => {
    const later = connectTarget(before, report('Connected', 5_000));
    assert.equal(connectTarget(later, report('Disconnected', 4_999)), later);
    assert.equal(connectTarget(later, report('Connected', 5_000)), later);
    assert.equal(connectTarget(later, report('Disconnected', 5_001)).connection.state, 'Disconnected');
  });
});
