import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { GroupJourney } from './testing/group-journey.ts';

const TIERS = ['db', 'api', 'web'] as const;

/** A child for the tier, placed on the targets of the tier. */
const child = (tier: string, text = '1', more: object = {}) => ({
  name: tier,
  manifest: { type: 'inline', documents: [{ kind: 'Note', metadata: { name: tier }, text }] },
  placement: [{ type: 'selector', matchLabels: { tier } }],
  ...more,
});
type Child = ReturnType<typeof child>;
const group = (steps: readonly (readonly (Child | (object & { name: string }))[])[], onFailure = 'halt') => ({
  manifest: {
    type: 'deploymentGroup',
    deployments: steps.flat(),
    sequence: steps.map((step) => ({ step: step.map(({ name }) => name) })),
    onFailure,
  },
});
const ALL = ['app', 'app-api', 'app-db', 'app-web'];

eachDatabase('groups and the deployments that they are made of', (fresh) => {
  let database: TestDatabase;
  let journey: GroupJourney;
  const targets = new Map<string, TargetId>();
  beforeEach(async () => {
    database = await fresh();
    journey = await GroupJourney.open(database);
    for (const tier of TIERS) targets.set(tier, journey.fleet.add(`${tier}-1`, { labels: { tier } }));
  });
  afterEach(async () => {
    await journey.stop();
    await database.dispose();
  });
  const targetOf = (tier: string): TargetId => targets.get(tier) ?? assert.fail(tier);
  /** The tiers in the order in which they were sent orders of the kind. */
  const sent = (kind: string) =>
    journey.fleet.dispatched.filter((order) => order.kind === kind).map(({ target }) => target.name.replace('-1', ''));
  const tiers = (onFailure?: string) => group([[child('db')], [child('api')], [child('web')]], onFailure);

  it('come in their sequence, and go in reverse', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    assert.deepEqual(sent('deliver'), [...TIERS]);
    assert.equal((await journey.localRow('app'))?.healthMessage, 'all 3 deployments are healthy');
    assert.equal((await journey.find('app')).status.rollout?.outcome, 'Succeeded');
    await journey.delete('app');
    await journey.untilNames();
    assert.deepEqual(sent('remove'), TIERS.toReversed());
  });

  it('halt at a step that is degraded, say so, and go on when it is well', async () => {
    journey.fleet.script(targetOf('db'), { health: 'Degraded' });
    await journey.create('app', tiers());
    await journey.untilMessage('app', 'step 1 of 3: app-db is degraded: It is degraded on 1 target.');
    assert.deepEqual(sent('deliver'), ['db']);
    const { uid, revision } = await journey.find('app-db');
    const said = { target: targetOf('db'), deployment: uid, revision, kind: 'health' } as const;
    await journey.fleet.report({ ...said, health: 'Available', message: '' });
    await journey.untilHealthy(...ALL);
  });

  it('patch a child in place, and only that one', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    await journey.patch('app', group([[child('db')], [child('api', '2')], [child('web')]]));
    await journey.until('api at its second revision', async () => (await journey.find('app-api')).revision === 2);
    await journey.untilHealthy(...ALL);
    assert.deepEqual(sent('deliver'), [...TIERS, 'api']);
    assert.deepEqual((await journey.all()).map(({ name, revision }) => `${name} ${revision}`).sort(), [
      'app 2',
      'app-api 2',
      'app-db 1',
      'app-web 1',
    ]);
  });

  it('rename a child without touching what runs', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    await journey.patch('app', group([[{ ...child('db'), name: 'data' }], [child('api')], [child('web')]]));
    await journey.untilNames('app', 'app-api', 'app-data', 'app-web');
    await journey.untilHealthy('app', 'app-api', 'app-data', 'app-web');
    assert.deepEqual(sent('deliver'), [...TIERS]);
    assert.deepEqual(sent('remove'), []);
  });

  it('make a child again that was deleted on its own', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    const { uid } = await journey.find('app-api');
    await journey.deleteChild('app-api');
    await journey.until('another api', async () =>
      (await journey.all()).some((it) => it.name === 'app-api' && it.uid !== uid),
    );
    await journey.untilHealthy(...ALL);
    assert.deepEqual(sent('remove'), ['api']);
  });

  it('are rolled back with their children, by a person', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    await journey.patch('app', group([[child('db', '2')], [child('api')]]));
    await journey.untilNames('app', 'app-api', 'app-db');
    await journey.untilHealthy('app', 'app-api', 'app-db');
    await journey.rollBack('app', 1);
    await journey.untilNames(...ALL);
    await journey.untilHealthy(...ALL);
    const first = (await journey.find('app-db')).spec.manifest['documents'];
    assert.deepEqual(first, child('db').manifest.documents);
  });

  it('roll themselves back when a child fails, and they say so', async () => {
    await journey.create('app', tiers('rollback'));
    await journey.untilHealthy(...ALL);
    journey.fleet.script(targetOf('db'), { applying: { failsAt: 2 } });
    await journey.patch('app', group([[child('db', '2')], [child('api', '2')], [child('web')]], 'rollback'));
    await journey.until('the rollback', async () => (await journey.find('app')).revision === 3);
    await journey.untilHealthy(...ALL);
    assert.deepEqual((await journey.find('app-db')).spec.manifest['documents'], child('db').manifest.documents);
    assert.ok(!sent('deliver').slice(3).includes('api'), 'the step behind it never began');
  });

  it('halt when a child rolls itself back, and ask it again with the next change', async () => {
    const rollout = { type: 'staged', stages: [{ name: 'all', selector: {}, failurePolicy: 'rollback' }] };
    const steps = (db: string, web: string) => group([[child('db', db, { rollout })], [child('web', web)]]);
    await journey.create('app', steps('1', '1'));
    await journey.untilHealthy('app', 'app-db', 'app-web');
    journey.fleet.script(targetOf('db'), { applying: { failsAt: 2 } });
    await journey.patch('app', steps('2', '2'));
    await journey.until('the rollback', async () => (await journey.find('app-db')).revision === 3);
    await journey.untilHealthy('app-db');
    await journey.untilMessage('app', 'step 1 of 2: app-db was rolled back and does not have what the group requested');
    assert.equal((await journey.find('app-web')).revision, 1, 'the step behind it did not begin');
    await journey.patch('app', steps('2', '3'));
    await journey.untilHealthy('app', 'app-db', 'app-web');
    assert.deepEqual((await journey.find('app-db')).spec.manifest['documents'], child('db', '2').manifest.documents);
  });

  it('pause with all that is in them', async () => {
    await journey.create(
      'app',
      group([[child('db')], [{ name: 'inner', ...group([[child('api')], [child('web')]]) }]]),
    );
    const names = ['app', 'app-db', 'app-inner', 'app-inner-api', 'app-inner-web'];
    await journey.untilHealthy(...names);
    await journey.steer('app', 'pause');
    const isAll = async (state: string) => (await journey.all()).every(({ rolloutState }) => rolloutState === state);
    await journey.until('all paused', () => isAll('paused'));
    await journey.steer('app', 'resume');
    await journey.until('all running', () => isAll('running'));
    await journey.untilHealthy(...names);
    await journey.delete('app');
    await journey.untilNames();
    assert.deepEqual(sent('remove'), ['web', 'api', 'db']);
  });

  it('abort with all that is in them, say so, and go on by a retry', async () => {
    journey.fleet.script(targetOf('api'), { applying: 'never' });
    const inner = { name: 'inner', ...group([[child('api')], [child('web')]]) };
    await journey.create('app', group([[child('db')], [inner]]));
    const names = ['app', 'app-db', 'app-inner', 'app-inner-api', 'app-inner-web'];
    await journey.until('api under way', async () => sent('deliver').includes('api'));
    await journey.steer('app', 'abort');
    const reason = 'the rollout of the group was aborted; app-inner-api is degraded: group:app-inner aborted it';
    await journey.untilMessage('app-inner', `step 1 of 2: ${reason}`);
    const endOf = async (name: string) => {
      const { status, rollout } = await journey.find(name);
      return [rollout, status.rollout?.outcome, status.rollout?.message];
    };
    assert.deepEqual(await endOf('app'), [undefined, 'Aborted', 'user:ann aborted it']);
    assert.deepEqual(await endOf('app-inner'), [undefined, 'Aborted', 'group:app aborted it']);
    assert.deepEqual(await endOf('app-inner-api'), [undefined, 'Aborted', 'group:app-inner aborted it']);
    assert.equal((await journey.find('app-db')).status.rollout?.outcome, 'Succeeded', 'what is done stays done');
    await journey.until('app says so', async () =>
      ((await journey.localRow('app'))?.healthMessage ?? '').startsWith('step 2 of 2: the rollout of the group was'),
    );
    journey.fleet.script(targetOf('api'), {});
    await journey.steer('app', 'retry');
    await journey.untilHealthy(...names);
    assert.equal((await journey.find('app')).status.rollout?.outcome, 'Succeeded');
    assert.deepEqual(sent('deliver'), ['db', 'api', 'api', 'web']);
  });

  it('tell who waits for a name that a child gets', async () => {
    await journey.create('app', tiers());
    await journey.untilHealthy(...ALL);
    const gate = { type: 'deploymentHealth', deployment: 'app-data' };
    const rollout = { type: 'staged', stages: [{ name: 'all', selector: {}, beforeTasks: [gate] }] };
    const { name: _, ...look } = child('db', 'look', { rollout });
    await journey.create('look', look);
    await journey.until('look at its gate', async () => {
      return (await journey.find('look')).status.rollout?.waits.some(({ kind }) => kind === 'gate') === true;
    });
    await journey.patch('app', group([[{ ...child('db'), name: 'data' }], [child('api')], [child('web')]]));
    await journey.untilHealthy('look');
  });

  it('let others wait for a group’s health, and for that of a child of another group', async () => {
    const gated = (deployment: string) => ({
      rollout: {
        type: 'staged',
        stages: [{ name: 'all', selector: {}, beforeTasks: [{ type: 'deploymentHealth', deployment }] }],
      },
    });
    journey.fleet.script(targetOf('api'), { health: 'Unknown' });
    await journey.create('app', group([[child('db')], [child('api')]]));
    await journey.untilMessage('app', 'step 2 of 2: app-api is not healthy yet');
    await journey.create('site', group([[child('web', '1', gated('app'))]]));
    const { name: _, ...look } = child('db', 'look', gated('app-db'));
    await journey.create('look', look);
    await journey.untilHealthy('look');
    await journey.until('site-web at its gate', async () => {
      return (await journey.find('site-web')).status.rollout?.waits.some(({ kind }) => kind === 'gate') === true;
    });
    assert.ok(!sent('deliver').includes('web'));
    // The health report of the delivery has to arrive first, or it would overwrite the one below.
    await journey.until('app-api delivered', async () => sent('deliver').includes('api'));
    await journey.fleet.settled();
    const { uid, revision } = await journey.find('app-api');
    const said = { target: targetOf('api'), deployment: uid, revision, kind: 'health' } as const;
    await journey.fleet.report({ ...said, health: 'Available', message: '' });
    await journey.untilHealthy('app', 'site', 'site-web');
  });
});
