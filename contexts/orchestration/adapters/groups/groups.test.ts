import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { LOCAL_TARGET_ID } from '../../domain/target-view.ts';
import { GroupStage } from './testing/group-stage.ts';

const signal = new AbortController().signal;

const child = (name: string, text = '1') => ({
  name,
  manifest: { type: 'inline', documents: [{ kind: 'Note', name, text }] },
  placement: [{ type: 'all' }],
});
type Child = ReturnType<typeof child>;
const group = (steps: readonly (readonly Child[])[], onFailure = 'halt') => ({
  manifest: {
    type: 'deploymentGroup',
    deployments: steps.flat(),
    sequence: steps.map((step) => ({ step: step.map(({ name }) => name) })),
    onFailure,
  },
});
const [DB, API, WEB] = [child('db'), child('api'), child('web')];
const TIERS = [[DB], [API], [WEB]];

eachDatabase('groups', (fresh) => {
  let database: TestDatabase;
  let stage: GroupStage;
  beforeEach(async () => {
    database = await fresh();
    stage = await GroupStage.open(database);
  });
  afterEach(async () => {
    await stage.stop();
    await database.dispose();
  });

  /** A healthy group of three. */
  async function healthyGroup(onFailure = 'halt'): Promise<void> {
    await stage.create('app', group(TIERS, onFailure));
    for (const [names, next] of [
      [['app', 'app-db'], 'app-db'],
      [['app', 'app-api', 'app-db'], 'app-api'],
      [['app', 'app-api', 'app-db', 'app-web'], 'app-web'],
    ] as const) {
      await stage.untilNames(...names);
      await stage.become(next, 'Healthy');
    }
    await stage.untilHealth('app', 'Available: all 3 deployments are healthy');
  }

  it('come step by step, and say how they are as any target does', async () => {
    assert.deepEqual(await stage.create('app', group(TIERS)), { kind: 'accepted' });
    await stage.untilNames('app', 'app-db');
    await stage.untilHealth('app', 'Progressing: step 1 of 3: app-db is not healthy yet');
    const { waits, phase } = (await stage.status('app')) ?? {};
    assert.equal(phase, 'Deploying');
    assert.deepEqual(
      waits?.map(({ child, unblock }) => [child, unblock]),
      [['app-db', 'app-db becomes healthy']],
    );
    assert.deepEqual((await stage.find('app-db')).owner, { group: (await stage.find('app')).uid, child: 'db' });
    await stage.become('app-db', 'Healthy');
    await stage.untilNames('app', 'app-api', 'app-db');
    await stage.become('app-api', 'Healthy');
    await stage.untilNames('app', 'app-api', 'app-db', 'app-web');
    await stage.become('app-web', 'Healthy');
    await stage.untilHealth('app', 'Available: all 3 deployments are healthy');
    assert.ok(stage.pipeline.reports.some(({ kind, target }) => kind === 'applied' && target === LOCAL_TARGET_ID));
  });

  it('halt when a child is degraded, and go on when it is well', async () => {
    await stage.create('app', group(TIERS));
    await stage.untilNames('app', 'app-db');
    await stage.become('app-db', 'Degraded');
    await stage.untilHealth('app', 'Degraded: step 1 of 3: app-db is degraded: It is degraded on 1 target.');
    await stage.become('app-db', 'Healthy');
    await stage.untilNames('app', 'app-api', 'app-db');
    await stage.become('app-db', 'Degraded');
    await stage.untilHealth('app', 'Degraded: step 1 of 3: app-db is degraded: It is degraded on 1 target.');
  });

  it('are patched by what differs: created, changed, renamed, and deleted in reverse', async () => {
    await healthyGroup();
    const { uid, revision } = await stage.find('app-db');
    await stage.patch('app', group([[{ ...DB, name: 'data' }], [child('api', '2')], [child('cache')]]));
    await stage.untilNames('app', 'app-api', 'app-data', 'app-web');
    const renamed = await stage.find('app-data');
    assert.deepEqual([renamed.uid, renamed.revision, renamed.owner?.child], [uid, revision, 'data']);
    await stage.untilHealth('app', 'Progressing: step 2 of 3: app-api is not healthy yet; app-web leaves the group');
    assert.equal((await stage.find('app-api')).generation, 2);
    await stage.become('app-api', 'Healthy');
    await stage.untilNames('-app-web', 'app', 'app-api', 'app-cache', 'app-data');
    await stage.become('app-cache', 'Healthy');
    await stage.gone('app-web');
    await stage.untilHealth('app', 'Available: all 3 deployments are healthy');
  });

  it('reordered alone change nothing but the order', async () => {
    await healthyGroup();
    const before = await stage.all();
    await stage.patch('app', group([[WEB], [API], [DB]]));
    await stage.idle();
    assert.deepEqual(
      (await stage.all()).filter(({ owner }) => owner !== undefined),
      before.filter(({ owner }) => owner !== undefined),
    );
    await stage.become('app-web', 'Degraded');
    await stage.untilHealth('app', 'Degraded: step 1 of 3: app-web is degraded: It is degraded on 1 target.');
  });

  it('keep a child that a person deletes, and make one again that was deleted on its own', async () => {
    await healthyGroup();
    const { uid } = await stage.find('app-api');
    await assert.rejects(stage.delete('app-api'), { code: 'GROUP_CHILD', message: /of the group app,/ });
    await stage.deleteChild('app-api');
    await stage.untilHealth('app', 'Progressing: step 2 of 3: app-api was deleted on its own');
    await stage.gone('app-api');
    await stage.untilNames('app', 'app-api', 'app-db', 'app-web');
    assert.notEqual((await stage.find('app-api')).uid, uid);
    await stage.become('app-api', 'Healthy');
    await stage.untilHealth('app', 'Available: all 3 deployments are healthy');
  });

  it('go in reverse, and are gone when all of it is', async () => {
    await healthyGroup();
    const { uid } = await stage.find('app');
    await stage.delete('app');
    await stage.roll('app');
    await stage.untilNames('-app', '-app-web', 'app-api', 'app-db');
    await stage.gone('app-web');
    await stage.untilNames('-app', '-app-api', 'app-db');
    await stage.gone('app-api');
    await stage.untilNames('-app', '-app-db');
    assert.ok(!stage.pipeline.reports.some(({ kind }) => kind === 'removed'));
    await stage.gone('app-db');
    await stage.untilNames();
    assert.deepEqual(stage.pipeline.reports.at(-1), {
      target: LOCAL_TARGET_ID,
      deployment: uid,
      revision: 2,
      kind: 'removed',
    });
    assert.deepEqual(await stage.storage.all(sql`SELECT deployment FROM deployment_groups`, signal), []);
  });

  it('are paused with their children, and resumed with those that they paused', async () => {
    await healthyGroup();
    await stage.steer('app-web', 'pause');
    await stage.idle();
    const states = async () => (await stage.all()).map(({ rolloutState }) => rolloutState);
    await stage.steer('app', 'pause');
    await stage.idle();
    assert.deepEqual(await states(), ['paused', 'paused', 'paused', 'paused']);
    await stage.steer('app', 'resume');
    await stage.idle();
    assert.deepEqual(await states(), ['running', 'running', 'running', 'paused']);
  });

  it('are rolled back when they say so, with their children', async () => {
    await healthyGroup('rollback');
    const before = (await stage.find('app-db')).spec;
    await stage.patch('app', group([[child('db', '2')], [API], [WEB]], 'rollback'));
    await stage.idle();
    assert.notDeepEqual((await stage.find('app-db')).spec, before);
    await stage.become('app-db', 'Degraded');
    await stage.untilHealth(
      'app',
      'Degraded: step 1 of 3: the change is rolled back; app-db is degraded: It is degraded on 1 target.',
    );
    await stage.roll('app');
    await stage.idle();
    assert.deepEqual((await stage.find('app-db')).spec, before);
    await stage.become('app-db', 'Healthy');
    await stage.untilHealth('app', 'Available: all 3 deployments are healthy');
  });

  it('can be within groups, and pause and go with them', async () => {
    const inner = { name: 'inner', ...group([[DB], [WEB]]) };
    await stage.create('outer', { manifest: { type: 'deploymentGroup', deployments: [inner] } });
    await stage.untilNames('outer', 'outer-inner');
    await stage.roll('outer-inner');
    await stage.untilNames('outer', 'outer-inner', 'outer-inner-db');
    await stage.become('outer-inner-db', 'Healthy');
    await stage.untilNames('outer', 'outer-inner', 'outer-inner-db', 'outer-inner-web');
    await stage.become('outer-inner-web', 'Healthy');
    await stage.untilHealth('outer', 'Available: its deployment is healthy');
    await stage.become('outer-inner-db', 'Degraded');
    await stage.untilHealth('outer', 'Degraded: step 1 of 1: outer-inner is degraded: It is degraded on 1 target.');
    await stage.steer('outer', 'pause');
    await stage.idle();
    assert.equal((await stage.find('outer-inner-web')).rolloutState, 'paused');
    await stage.steer('outer', 'resume');
    await stage.idle();
    await stage.delete('outer');
    await stage.roll('outer');
    await stage.untilNames('-outer', '-outer-inner', 'outer-inner-db', 'outer-inner-web');
    await stage.roll('outer-inner');
    await stage.untilNames('-outer', '-outer-inner', '-outer-inner-web', 'outer-inner-db');
    await stage.gone('outer-inner-web');
    await stage.untilNames('-outer', '-outer-inner', '-outer-inner-db');
    await stage.gone('outer-inner-db');
    await stage.untilNames();
  });

  it('keep the secrets of their children secret, and hand them on', async () => {
    const secret = 'correct horse battery staple';
    const template = {
      name: 'db',
      manifest: {
        type: 'template',
        documents: [{ kind: 'Login', password: '${values.password}' }],
        values: { password: { $secret: secret } },
      },
      placement: [{ type: 'all' }],
    };
    await stage.create('app', { manifest: { type: 'deploymentGroup', deployments: [template] } });
    await stage.untilNames('app', 'app-db');
    const [own, kept] = [(await stage.find('app')).spec, (await stage.find('app-db')).spec];
    const referenceIn = (value: unknown) => /"\$secretRef":"([^"]+)"/.exec(JSON.stringify(value))?.[1];
    assert.ok(referenceIn(kept) !== undefined && referenceIn(kept) === referenceIn(own));
    for (const table of ['deployments', 'deployment_groups', 'contents', 'deployment_revisions', 'outbox']) {
      const rows = await stage.storage.all(sql`SELECT * FROM ${sql.raw(table)}`, signal);
      assert.ok(!JSON.stringify(rows).includes(secret), `${table} has it in the clear`);
    }
  });

  it('name a child that cannot be made, and take what they can', async () => {
    await stage.create('app-api', { manifest: API.manifest, placement: [{ type: 'all' }] });
    await stage.create('app', group(TIERS));
    const waits = 'app-api cannot be created: a deployment outside the group has its name';
    await stage.untilHealthSaid('app', `Degraded: step 1 of 3: ${waits}; app-db is not healthy yet`);
    await stage.become('app-db', 'Healthy');
    await stage.untilHealthSaid('app', `Degraded: step 2 of 3: ${waits}`);
  });

  it('go on where they were when the process is another', async () => {
    await stage.create('app', group(TIERS));
    await stage.untilNames('app', 'app-db');
    await stage.stop();
    await stage.become('app-db', 'Healthy');
    stage.start();
    await stage.untilNames('app', 'app-api', 'app-db');
  });

  it('say again what was not heard', async () => {
    await healthyGroup();
    stage.pipeline.deaf = 2;
    await stage.become('app-web', 'Degraded');
    await stage.untilHealth('app', 'Degraded: step 3 of 3: app-web is degraded: It is degraded on 1 target.');
    await stage.untilEnded();
  });

  it('are taken in the order of revisions, and nothing but groups is', async () => {
    await healthyGroup();
    const { uid } = await stage.find('app');
    const about = { target: { id: LOCAL_TARGET_ID, name: 'local', type: 'local' }, deployment: uid };
    assert.deepEqual(await stage.agent.dispatch({ ...about, revision: 0, kind: 'remove' }, signal), {
      kind: 'fenced',
      seen: 1,
    });
    const draft = { manifest: { type: 'inline', documents: [{ kind: 'Note' }] }, placement: [{ type: 'local' }] };
    assert.deepEqual(await stage.create('note', draft), {
      kind: 'rejected',
      message: 'The platform accepts only groups: must be a DeploymentGroup of fleetshift.io/v1; this is unknown Note.',
    });
  });

  it('show beforehand what would become of the children', async () => {
    await healthyGroup();
    const { uid } = await stage.find('app');
    const about = { target: { id: LOCAL_TARGET_ID, name: 'local', type: 'local' }, deployment: uid, revision: 9 };
    const terms = { kind: 'deliver', hash: '', healthRules: [], driftPolicy: 'report', secretPlaces: [] } as const;
    const spec = {
      deployments: [
        { ...DB, name: 'app-db' },
        { ...child('api', '2'), name: 'app-api' },
        { ...child('new'), name: 'app-new' },
      ],
      sequence: [{ step: ['app-db'] }, { step: ['app-api'] }, { step: ['app-new'] }],
    };
    const document = { apiVersion: 'fleetshift.io/v1', kind: 'DeploymentGroup', metadata: { name: 'app' }, spec };
    assert.deepEqual((await stage.agent.preview({ ...about, ...terms, documents: [document] }, signal)).changes, [
      'create app-new',
      'patch app-api: manifest',
      'delete app-web',
    ]);
    assert.equal((await stage.agent.preview({ ...about, ...terms, documents: [] }, signal)).kind, 'wouldReject');
  });
});
