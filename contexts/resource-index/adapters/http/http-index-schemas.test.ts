import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FILE_MS } from '#testing/patience';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { anIndexed } from '../../testing/an-index.ts';
import { IndexServer } from '../../testing/index-server.ts';
import { indexInTree } from '../sql/index-in-tree.ts';

const signal = AbortSignal.timeout(FILE_MS);
const ALL = '/v1/index-schemas';
const OF_WEB = '/v1/workspaces/web/index-schemas';
const OF_EMEA = '/v1/workspaces/emea/index-schemas';

const field = (name: string, path = `spec.${name}`) => ({ name, path, type: 'string' });
const schema = (type: string, ...fields: readonly object[]) => ({
  targetType: 'kubernetes',
  kinds: [{ type, fields }],
});

eachDatabase('index schemas', (fresh) => {
  let database: TestDatabase;
  let server: IndexServer;
  before(async () => {
    database = await fresh();
    server = await IndexServer.open(database);
  });
  after(async () => {
    await server.close();
    await database.dispose();
  });

  const fieldsOf = async (target: string, type: string): Promise<readonly string[] | undefined> => {
    const { kinds } = await server.call(`GET /v1/targets/${target}/index-status`, { want: 200 });
    const found = kinds.find((kind: { type: string }) => kind.type === type);
    return found?.fields.map(({ name }: { name: string }) => name);
  };
  const refusal = async (call: string, body: object): Promise<readonly unknown[]> => {
    const problem = await server.call(call, { body });
    return [problem.code, problem.faults?.[0]?.path];
  };

  describe('an index schema', () => {
    it('is made, shown, listed, changed and deleted, and tells of it', async () => {
      await server.events();
      const made = await server.call(`PUT ${ALL}/story`, { body: schema('a.test/v1/Thing', field('one')), want: 201 });
      assert.partialDeepStrictEqual(made, {
        name: 'story',
        workspace: 'root',
        targetType: 'kubernetes',
        generation: 1,
      });
      assert.deepEqual(made.kinds, [{ type: 'a.test/v1/Thing', fields: [field('one')], health: [], only: [] }]);
      assert.deepEqual(await server.call(`GET ${ALL}/story`, { want: 200 }), made);
      const same = await server.call(`PUT ${ALL}/story`, { body: schema('a.test/v1/Thing', field('one')), want: 200 });
      assert.equal(same.etag, made.etag, 'what changes nothing is no change');
      const stale = { 'if-match': '"nonsense"' };
      await server.call(`PUT ${ALL}/story`, { body: schema('a.test/v1/Thing'), headers: stale, want: 412 });
      await server.call(`PUT ${ALL}/story`, { body: schema('a.test/v1/Thing', field('two')), want: 200 });
      const { items } = await server.call(`GET ${ALL}?filter=${encodeURIComponent('name == "story"')}`, { want: 200 });
      assert.deepEqual(
        items.map(({ generation }: { generation: number }) => generation),
        [2],
      );
      await server.call(`DELETE ${ALL}/story`, { want: 204 });
      const gone = await server.call(`GET ${ALL}/story`, { want: 404 });
      assert.equal(gone.code, 'indexSchemaNotFound');
      const key = 'workspaces/root/index-schemas/story';
      assert.deepEqual(
        await server.events(),
        ['created', 'updated', 'deleted'].map((what) => `indexSchema.${what} ${key}`),
      );
    });

    it('of a workspace holds there and below, on top of what holds for all, and of what always is', async () => {
      const type = 'b.test/v1/Thing';
      await server.call(`PUT ${ALL}/layers`, { body: schema(type, field('all')), want: 201 });
      await server.call(`PUT ${OF_EMEA}/layers`, { body: schema(type, field('emea')), want: 201 });
      await server.call(`PUT ${OF_WEB}/layers`, { body: schema(type, field('web')), want: 201 });
      assert.deepEqual(await fieldsOf('web-1', type), ['all', 'emea', 'web']);
      assert.deepEqual(await fieldsOf('root-1', type), ['all']);
      await server.call(`PUT ${OF_WEB}/pods`, { body: schema('v1/Pod', field('priority')), want: 201 });
      const pods = (await fieldsOf('web-1', 'v1/Pod')) ?? [];
      assert.ok(pods.includes('phase') && pods.includes('priority'));
      assert.ok(!((await fieldsOf('root-1', 'v1/Pod')) ?? []).includes('priority'));
    });

    it('may not contradict one that it meets, above, below or beside it', async () => {
      const type = 'c.test/v1/Thing';
      await server.call(`PUT ${OF_EMEA}/one`, { body: schema(type, field('a')), want: 201 });
      const other = schema(type, field('z'), field('a', 'elsewhere'));
      const conflict = ['indexSchemaConflict', '/kinds/0/fields/1'];
      for (const place of [ALL, OF_EMEA, OF_WEB]) assert.deepEqual(await refusal(`PUT ${place}/two`, other), conflict);
      const core = schema('v1/Pod', field('phase', 'elsewhere'));
      assert.deepEqual(await refusal(`PUT ${OF_WEB}/two`, core), ['indexSchemaConflict', '/kinds/0/fields/0']);
      await server.call(`PUT ${OF_EMEA}/one`, { body: other, want: 200 });
      await server.call(`PUT ${OF_WEB}/two`, { body: other, want: 201 });
    });

    it('of events is for an hour unless told, and can be of warnings only', async () => {
      const kinds = [
        { type: 'v1/Event', fields: [field('reason', 'reason')], only: [{ path: 'type', in: ['Warning'] }] },
      ];
      const made = await server.call(`PUT ${ALL}/events`, { body: { targetType: 'kubernetes', kinds }, want: 201 });
      assert.equal(made.kinds[0].expiry.after, '1h');
      assert.deepEqual(made.kinds[0].only, [{ path: 'type', in: ['Warning'] }]);
      for (const after of ['90m', '99h', '7d', '48h']) {
        const body = {
          targetType: 'kubernetes',
          kinds: [{ type: 'v1/Event', expiry: { after, from: ['eventTime'] } }],
        };
        const { kinds: shown } = await server.call(`PUT ${ALL}/events`, { body, want: 200 });
        assert.equal(shown[0].expiry.after, after === '48h' ? '2d' : after);
      }
    });

    for (const { why, kind, code, path } of [
      { why: 'a type that is none', kind: { type: 'Pod' }, code: 'validationFailed', path: '/kinds/0/type' },
      {
        why: 'a path that leads too far',
        kind: { type: 'v1/X', fields: [field('a', 'a.'.repeat(16).concat('a'))] },
        code: 'invalidIndexSchema',
        path: '/kinds/0/fields/0/path',
      },
      {
        why: 'a field twice',
        kind: { type: 'v1/X', fields: [field('a'), field('a')] },
        code: 'invalidIndexSchema',
        path: '/kinds/0/fields/1/name',
      },
      {
        why: 'a check that says nothing',
        kind: { type: 'v1/X', only: [{ path: 'a' }] },
        code: 'validationFailed',
        path: '/kinds/0/only/0/in',
      },
      {
        why: 'a check that says two things',
        kind: { type: 'v1/X', only: [{ path: 'a', exists: true, in: ['b'] }] },
        code: 'validationFailed',
        path: '/kinds/0/only/0/exists',
      },
      {
        why: 'a health that is none',
        kind: { type: 'v1/X', health: [{ health: 'Fine', when: [] }] },
        code: 'validationFailed',
        path: '/kinds/0/health/0/health',
      },
      {
        why: 'a time that is none',
        kind: { type: 'v1/X', expiry: { after: '1h1h', from: ['a'] } },
        code: 'validationFailed',
        path: '/kinds/0/expiry/after',
      },
      {
        why: 'a time that is too long',
        kind: { type: 'v1/X', expiry: { after: '30d', from: ['a'] } },
        code: 'validationFailed',
        path: '/kinds/0/expiry/after',
      },
    ]) {
      it(`is refused for ${why}`, async () => {
        const body = { targetType: 'kubernetes', kinds: [kind] };
        assert.deepEqual(await refusal(`PUT ${ALL}/bad`, body), [code, path]);
      });
    }

    it('moves with its workspace, and goes with it', async () => {
      const type = 'd.test/v1/Thing';
      await server.call(`PUT ${OF_WEB}/moved`, { body: schema(type, field('a')), want: 201 });
      const move = { fromPath: '/root/emea/', toPath: '/root/apac/' };
      await server.storage.write((tx) => indexInTree(tx).moved(move, signal), signal);
      assert.equal(await fieldsOf('web-1', type), undefined);
      const back = { fromPath: '/root/apac/', toPath: '/root/emea/' };
      await server.storage.write((tx) => indexInTree(tx).moved(back, signal), signal);
      assert.deepEqual(await fieldsOf('web-1', type), ['a']);
      await server.storage.write((tx) => indexInTree(tx).workspaceDeleted({ name: 'web' }, signal), signal);
      assert.equal(await fieldsOf('web-1', type), undefined);
    });

    it('is told to those agents whom it concerns, and to no others', async () => {
      for (const [index, target] of ['web-1', 'root-1'].entries()) {
        await server.say(target, { kind: 'hello', exchange: 100 + index });
        await eventually('the answer', () =>
          server.heard.some((each) => each.target === target && each.message?.kind === 'state'),
        );
      }
      server.heard.length = 0;
      await server.call(`PUT ${OF_EMEA}/pushed`, { body: schema('e.test/v1/Thing', field('a')), want: 201 });
      await eventually('the word', () => server.heard.length > 0);
      assert.deepEqual(server.heard, [{ target: 'web-1', message: { kind: 'refresh' } }]);
    });
  });

  describe('what is indexed of a target', () => {
    it('is shown page by page, by kind and namespace', async () => {
      const crate = anIndexed('c', { type: 'v1/Crate' });
      const put = [anIndexed('a', { size: 7 }), anIndexed('b'), crate];
      await server.say('web-1', { kind: 'delta', put, deleted: [], droppedTypes: [] });
      const path = '/v1/targets/web-1/index';
      const first = await server.call(`GET ${path}?pageSize=2`, { want: 200 });
      const rest = await server.call(`GET ${path}?pageSize=2&pageToken=${first.nextPageToken}`, { want: 200 });
      const names = [...first.items, ...rest.items].map(({ kind, name }) => `${kind} ${name}`);
      assert.deepEqual(names, ['v1/Box a', 'v1/Box b', 'v1/Crate c']);
      assert.partialDeepStrictEqual(first.items[0], { namespace: 'shop', health: 'Healthy', fields: { size: 7 } });
      const crates = await server.call(`GET ${path}?kind=v1/Crate&namespace=shop`, { want: 200 });
      assert.equal(crates.items.length, 1);
      assert.equal((await server.call(`GET ${path}?namespace=other`, { want: 200 })).items.length, 0);
      assert.equal((await server.call('GET /v1/targets/nobody/index', { want: 404 })).code, 'notThere');
    });

    it('says how it is with each kind', async () => {
      const types = [{ type: 'v1/Node', state: 'Forbidden', message: 'may not list nodes', objects: 0 }] as const;
      await server.say('web-1', { kind: 'report', types });
      const { kinds } = await server.call('GET /v1/targets/web-1/index-status', { want: 200 });
      const node = kinds.find(({ type }: { type: string }) => type === 'v1/Node');
      assert.partialDeepStrictEqual(node, { state: 'Forbidden', message: 'may not list nodes', objects: 0 });
      assert.equal(kinds[0].state, undefined, 'nothing was said of Pods');
    });

    it('is taken over whatever nonsense comes in between', async () => {
      assert.throws(() => server.index.take('web-1', Uint8Array.of(0xff, 0xff), () => {}), {
        code: 'BAD_INDEX_MESSAGE',
      });
      await server.say('nobody', { kind: 'hello', exchange: 1 });
      await server.say('web-1', { kind: 'ask', exchange: 1, type: 'v1/Box', buckets: [300, 1] });
      assert.deepEqual(server.lost, []);
    });
  });
});
