import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '#kit/std';
import type { PreviewResource } from '#protocol/api';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { aPoolTarget, fixedPool } from '../../testing/a-pool.ts';
import { aRolledOutDeployment } from '../../testing/a-rolled-out-deployment.ts';
import { HistoryApi, NOW, TABLES } from '../../testing/history-api.ts';

const signal = new AbortController().signal;
const DEPLOYMENTS = '/v1/workspaces/emea/deployments';
const note = (text: string, password = 'hunter2') => ({ kind: 'Note', text, login: { $secret: password } });
const inline = (...documents: JsonObject[]) => ({ type: 'inline', documents });
const DRAFT = { name: 'web', manifest: inline(note('one')), placement: [{ type: 'all' }] };
const TARGETS = ['edge-1', 'edge-2', 'till'];
const target = (name: string, its = {}) => aPoolTarget(name, its);

eachDatabase('previews', (fresh) => {
  let database: TestDatabase;
  let api: HistoryApi;
  before(async () => {
    database = await fresh();
    api = await HistoryApi.open(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });
  beforeEach(async () => {
    await api.clear();
    api.looked.length = 0;
    api.pool = fixedPool({ '/root/emea/': TARGETS.map((name) => target(name)) });
  });

  const previewed = async (call: string, body: object, as?: string): Promise<PreviewResource> => {
    const answer = await api.send(`POST ${DEPLOYMENTS}${call}`, body, as);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as unknown as PreviewResource;
  };
  const everything = async () => JSON.stringify(await Promise.all(TABLES.map((table) => api.rowsOf(table))));

  const rolledOut = () => aRolledOutDeployment(api, DRAFT, TARGETS);

  it('of a new deployment: who would get what, and nothing is created', async () => {
    const before = await everything();
    const preview = await previewed(':preview', { ...DRAFT, rollout: { type: 'rolling', batchSize: 2 } });
    assert.deepEqual(preview.resolution.added, TARGETS);
    assert.deepEqual(
      preview.plan?.steps.map(({ name, deliver }) => [name, deliver]),
      [
        ['batch-1', ['edge-1', 'edge-2']],
        ['batch-2', ['till']],
      ],
    );
    assert.deepEqual(preview.counts, { added: 3, changed: 0, unchanged: 0, removed: 0, failing: 0 });
    assert.deepEqual(preview.targets[0], {
      target: 'edge-1',
      uid: 'edge-1-uid',
      kind: 'added',
      documents: [
        {
          document: '#1',
          kind: 'added',
          fields: [{ path: '', kind: 'added', after: { kind: 'Note', text: 'one', login: '[redacted]' } }],
        },
      ],
    });
    assert.equal(await everything(), before);
  });

  it('of a patch: what differs on each target, secrets masked, and nothing is changed', async () => {
    await rolledOut();
    const before = await everything();
    const preview = await previewed('/web:preview', { manifest: inline(note('two', 'hunter3')) });
    assert.deepEqual(preview.counts, { added: 0, changed: 3, unchanged: 0, removed: 0, failing: 0 });
    assert.deepEqual(preview.targets[2]?.documents[0]?.fields, [
      { path: '/login', kind: 'changed', before: '[redacted]', after: '[redacted]' },
      { path: '/text', kind: 'changed', before: 'one', after: 'two' },
    ]);
    assert.deepEqual(
      preview.spec.map(({ path }) => path),
      ['/manifest/documents/0/login', '/manifest/documents/0/text'],
    );
    assert.equal(preview.revision, 2);
    assert.ok(!/hunter|ref-/.test(JSON.stringify(preview)));
    assert.equal(await everything(), before);
  });

  it('of a patch that changes nothing for anybody: no step has anybody', async () => {
    await rolledOut();
    const preview = await previewed('/web:preview', { manifest: inline(note('one')), labels: { a: 'b' } });
    assert.deepEqual(preview.counts, { added: 0, changed: 0, unchanged: 0, removed: 0, failing: 0 });
    assert.equal(preview.plan?.current, 3);
  });

  it('without a patch: what would be sent if everything were looked at anew', async () => {
    await rolledOut();
    assert.deepEqual((await previewed('/web:preview', {})).counts, {
      added: 0,
      changed: 0,
      unchanged: 0,
      removed: 0,
      failing: 0,
    });
    api.pool = fixedPool({ '/root/emea/': [...TARGETS, 'new'].map((name) => target(name)) });
    const preview = await previewed('/web:preview', {});
    assert.deepEqual([preview.resolution.added, preview.counts.added], [['new'], 1]);
  });

  it('takes in what is to be done anyway: who drifted gets the same once more', async () => {
    const { uid } = await rolledOut();
    const drift = { kind: 'drift', target: 'till-uid' as TargetId } as const;
    await api.unit(({ triggers }) => triggers.add(uid, [drift], NOW, signal));
    const { targets, counts } = await previewed('/web:preview', { labels: { a: 'b' } });
    assert.deepEqual(
      targets.map(({ target: name, kind, documents }) => [name, kind, documents]),
      [['till', 'unchanged', []]],
    );
    assert.equal(counts.unchanged, 1);
  });

  it('of a placement: who would lose it and why, or wait for a confirmation', async () => {
    await rolledOut();
    const less = await previewed('/web:preview', { placement: [{ type: 'static', targets: ['edge-1', 'till'] }] });
    assert.deepEqual(less.resolution.removed, [{ target: 'edge-2', cause: 'specPatch' }]);
    assert.deepEqual([less.counts.removed, less.targets[0]?.kind], [1, 'removed']);
    const few = await previewed('/web:preview', { placement: [{ type: 'static', targets: ['till'] }] });
    assert.deepEqual(
      few.resolution.held.map(({ target: name, why }) => [name, why]),
      [
        ['edge-1', 'MaxRemoval'],
        ['edge-2', 'MaxRemoval'],
      ],
    );
    assert.deepEqual(few.resolution.removed, []);
  });

  it('tells who would not have it, and why', async () => {
    api.pool = fixedPool({ '/root/emea/': [target('edge-1'), target('edge-2', { lifecycle: 'Cordoned' })] });
    const { resolution } = await previewed(':preview', DRAFT);
    assert.deepEqual(resolution.excluded, [
      { target: 'edge-2', why: 'Cordoned', message: 'is cordoned, and gets nothing new' },
    ]);
  });

  it('has no plan while it is in doubt who is to have it', async () => {
    const { uid } = await rolledOut();
    await api.unit(async (unit) => {
      const deployment = await unit.deployments.get(uid, signal);
      assert.ok(deployment);
      const spec = { ...deployment.spec, placement: [{ type: 'of-an-addon-that-is-gone' }] };
      await unit.deployments.replace({ ...deployment, spec, version: deployment.version + 1 }, signal);
    });
    const { resolution, plan, counts } = await previewed('/web:preview', {});
    assert.deepEqual([resolution.kind, plan, counts.removed], ['unsure', undefined, 0]);
    assert.match(resolution.why ?? '', /of-an-addon-that-is-gone/);
  });

  it('tells for whom the manifest makes nothing', async () => {
    api.pool = fixedPool({
      '/root/emea/': [target('edge-1', { properties: { region: 'north' } }), target('edge-2')],
    });
    const manifest = { type: 'template', documents: [{ kind: 'Note', region: '${target.properties.region}' }] };
    const preview = await previewed(':preview', { ...DRAFT, manifest });
    assert.deepEqual([preview.counts.added, preview.counts.failing], [1, 1]);
    const [, failing] = preview.targets;
    assert.deepEqual([failing?.target, failing?.kind], ['edge-2', 'failing']);
    assert.match(failing?.message ?? '', /region/);
  });

  it('shows the first 50, counts all, and shows any one when asked', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `t-${String(index).padStart(2, '0')}`);
    api.pool = fixedPool({ '/root/emea/': names.map((name) => target(name)) });
    const preview = await previewed(':preview', DRAFT);
    assert.deepEqual([preview.counts.added, preview.targets.length], [60, 50]);
    const one = await previewed(':preview?target=t-59', DRAFT);
    assert.deepEqual(
      one.targets.map((each) => each.target),
      ['t-59'],
    );
    assert.equal(one.digest, preview.digest);
  });

  it('has one digest for one outcome, and another when anything of it differs', async () => {
    const { digest } = await previewed(':preview', DRAFT);
    assert.equal((await previewed(':preview', { ...DRAFT, labels: { a: 'b' } })).digest, digest);
    const others = [
      { ...DRAFT, manifest: inline(note('one', 'hunter3')) },
      { ...DRAFT, rollout: { type: 'rolling', batchSize: 1 } },
      { ...DRAFT, placement: [{ type: 'static', targets: ['till'] }] },
    ];
    for (const other of others) assert.notEqual((await previewed(':preview', other)).digest, digest);
  });

  describe('asked deeply', () => {
    it('has what the agents say, who get what they would be sent', async () => {
      api.pool = fixedPool({ '/root/emea/': [target('edge-1'), target('edge-2', { isOnline: false })] });
      api.agentSays = { kind: 'wouldApply', message: 'would change 1 object', changes: ['Note/one'] };
      const preview = await previewed(':preview?deep=true', DRAFT);
      assert.deepEqual(
        preview.targets.map(({ agent }) => agent),
        [api.agentSays, undefined],
      );
      const [order] = api.looked;
      assert.equal(api.looked.length, 1);
      assert.partialDeepStrictEqual(order, { kind: 'deliver', revision: 1, documents: [{ login: 'hunter2' }] });
      assert.ok(!JSON.stringify(preview).includes('hunter2'));
    });

    it('tells agents what is and what was secret, and masks it in what they say all the same', async () => {
      const named = (text: string, login: unknown) => ({ kind: 'Note', metadata: { name: 'a' }, text, login });
      const draft = { ...DRAFT, manifest: inline(named('one', { $secret: 'hunter2-before' }) as JsonObject) };
      await aRolledOutDeployment(api, draft, TARGETS);
      api.agentSays = {
        kind: 'wouldApply',
        message: 'hunter2-before becomes hunter3-after',
        changes: ['- hunter2-before', '+ hunter3-after', '+ open'],
      };
      const body = { manifest: inline(named('hunter', 'now open') as JsonObject), config: { a: { $secret: 'x' } } };
      const opened = await previewed('/web:preview?deep=true', body);
      assert.deepEqual(opened.targets[0]?.agent?.changes, ['- [redacted]', '+ hunter3-after', '+ open']);
      assert.partialDeepStrictEqual(api.looked[0], { secretPlaces: ['/0/login'] });
      const hidden = { manifest: inline(named('two', { $secret: 'hunter3-after' }) as JsonObject) };
      const preview = await previewed('/web:preview?deep=true', hidden);
      assert.ok(!/hunter[23]/.test(JSON.stringify(preview)), JSON.stringify(preview));
    });

    it('is not asked unless asked for', async () => {
      await previewed(':preview', DRAFT);
      assert.deepEqual(api.looked, []);
    });
  });

  describe('goes through the same checks as the real thing', () => {
    for (const { why, call, body, status, code } of [
      {
        why: 'what is no deployment',
        call: ':preview',
        body: { ...DRAFT, placement: [{ type: 'nowhere' }] },
        status: 400,
        code: 'validationFailed',
      },
      {
        why: 'a target that is not there',
        call: ':preview',
        body: { ...DRAFT, placement: [{ type: 'static', targets: ['x'] }] },
        status: 400,
        code: 'invalidDeployment',
      },
      {
        why: 'a name that is taken',
        call: ':preview',
        body: { ...DRAFT, name: 'taken' },
        status: 409,
        code: 'nameTaken',
      },
      { why: 'nobody of that name', call: '/nobody:preview', body: {}, status: 404, code: 'deploymentNotFound' },
      {
        why: 'the platform itself, without the permission',
        call: ':preview',
        body: { ...DRAFT, placement: [{ type: 'local' }] },
        status: 403,
        code: 'permissionDenied',
      },
    ]) {
      it(why, async () => {
        await api.create({ ...DRAFT, name: 'taken' });
        const answer = await api.send(`POST ${DEPLOYMENTS}${call}`, body);
        assert.deepEqual([answer.status, answer.body['code']], [status, code], JSON.stringify(answer.body));
      });
    }

    it('the platform itself, with it', async () => {
      const preview = await previewed(':preview', { ...DRAFT, placement: [{ type: 'local' }] }, 'admin');
      assert.deepEqual(preview.resolution.added, ['local']);
    });
  });
});
