import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TargetId } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { Revision } from '../../domain/deployment/revision.ts';
import { type Payload, payloadOf } from '../../domain/manifest/payload.ts';
import type { RolloutEvent } from '../../domain/rollout/machine/rollout-event.ts';
import { type FleetTarget, factsOf, planOf } from '../../domain/rollout/testing/a-rollout.ts';
import { aDeployment, aRevision } from '../../testing/a-revision.ts';
import { HistoryApi, NOW } from '../../testing/history-api.ts';

const signal = new AbortController().signal;
const REVISIONS = '/v1/workspaces/emea/deployments/web/revisions';
const WEB = aDeployment({ revision: 3, rollout: 3 });
const FLEET: readonly FleetTarget[] = [{ name: 'c1', labels: { tier: 'canary' } }, { name: 'p1' }, { name: 'p2' }];
const STAGED = {
  type: 'staged',
  stages: [{ name: 'canary', selector: { matchLabels: { tier: 'canary' } }, afterTasks: [{ type: 'approval' }] }],
};
const fingerprint = (secret: string) => `ref-${secret.replaceAll('"', '')}`;
const note = (text: string, secret?: string): Payload =>
  payloadOf([{ kind: 'Note', text, ...(secret === undefined ? {} : { pass: { $secret: secret } }) }], fingerprint);
const id = (name: string) => name as TargetId;

const OLD = aRevision({ revision: 1, endTime: 2_000, outcome: 'Succeeded', message: '', turns: 4 });
const NEW = aRevision({
  revision: 3,
  generation: 2,
  spec: { ...OLD.spec, config: { token: { $secretRef: 'ref-x' }, size: 2 } },
  trigger: 'the spec was changed: manifest',
  createTime: NOW,
});

const TURNS: readonly (readonly RolloutEvent[])[] = [
  [{ kind: 'started' }, { kind: 'clock' }],
  [{ kind: 'delivered', target: id('c1'), changed: true }, { kind: 'clock' }],
  [{ kind: 'healthChanged', target: id('c1'), health: 'Available', revision: 3 }, { kind: 'clock' }],
  [
    {
      kind: 'gateAnswered',
      gate: 'canary/after/0/1',
      revision: 3,
      answer: { kind: 'approved', by: 'user:bob' },
    },
    { kind: 'clock' },
  ],
  [
    { kind: 'delivered', target: id('p1'), changed: false },
    { kind: 'delivered', target: id('p2'), changed: false },
    { kind: 'deliveryFailed', target: id('p2'), message: 'no route' },
    { kind: 'clock' },
  ],
];

eachDatabase('revisions', (fresh) => {
  let database: TestDatabase;
  let api: HistoryApi;
  before(async () => {
    database = await fresh();
    api = await HistoryApi.open(database);
    await api.unit(async (unit) => {
      await unit.deployments.insert(WEB, signal);
      for (const revision of [OLD, NEW]) await begin(unit, revision);
      const assigned = (revision: number, contents: [string, Payload | undefined][]) =>
        Promise.all([
          unit.contents.keep(
            contents.flatMap(([, payload]) => payload ?? []),
            signal,
          ),
          unit.contents.assign(
            { deployment: WEB.uid, revision },
            new Map(contents.map(([target, payload]) => [id(target), payload?.hash])),
            signal,
          ),
        ]);
      await assigned(1, [
        ['c1', note('one', 'hunter2')],
        ['p1', note('one', 'hunter2')],
        ['p2', note('same')],
        ['gone', note('x')],
      ]);
      await assigned(3, [
        ['c1', note('two', 'hunter3')],
        ['p1', note('two', 'hunter2')],
        ['fresh', note('two')],
        ['gone', undefined],
      ]);
    });
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });

  type Unit = Parameters<Parameters<HistoryApi['unit']>[0]>[0];
  const begin = async (unit: Unit, revision: Revision): Promise<void> => {
    await unit.revisions.insert(revision, signal);
    const key = { deployment: WEB.uid, revision: revision.revision };
    const start = {
      rollout: 'web/3',
      revision: revision.revision,
      requestedBy: 'user:ann',
      plan: planOf(STAGED, FLEET),
      facts: FLEET.map(factsOf),
      now: revision.createTime,
    };
    await unit.rollouts.begin(key, { start, names: { c1: 'canary-1', p1: 'prod-1', p2: 'prod-2' } }, signal);
    for (const [index, rolloutEvents] of TURNS.entries()) {
      const time = revision.createTime + (index + 1) * 1_000;
      await unit.rollouts.appendTurn(key, { turn: index + 1, time, rolloutEvents }, signal);
    }
  };
  const got = async (call: string): Promise<Readonly<Record<string, never>>> => {
    const { status, body } = await api.send(`GET ${REVISIONS}${call}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Readonly<Record<string, never>>;
  };

  const pagesOf = async (call: string): Promise<readonly object[]> => {
    const pages: object[] = [];
    for (let token = ''; ; ) {
      const page = await got(`${call}${token}`);
      pages.push(page);
      if (page['nextPageToken'] === undefined) return pages;
      token = `&pageToken=${String(page['nextPageToken'])}`;
    }
  };

  it('are listed newest first, without their specs', async () => {
    const { items } = (await got('')) as unknown as { items: { contentHash: string }[] };
    const [first, second] = items.map(({ contentHash }) => contentHash);
    assert.ok(first !== undefined && second !== undefined && first !== second);
    assert.deepEqual(items, [
      {
        revision: 3,
        generation: 2,
        trigger: 'the spec was changed: manifest',
        requestedBy: 'user:ann',
        paced: true,
        contentHash: first,
        createTime: new Date(NOW).toISOString(),
      },
      {
        revision: 1,
        generation: 1,
        trigger: 'user:ann created it',
        requestedBy: 'user:ann',
        paced: true,
        contentHash: second,
        createTime: new Date(1_000).toISOString(),
        endTime: new Date(2_000).toISOString(),
        outcome: 'Succeeded',
      },
    ]);
  });

  it('are paged, and filtered', async () => {
    const first = (await got('?pageSize=1')) as unknown as { items: { revision: number }[]; nextPageToken: string };
    assert.deepEqual([first.items.length, first.items[0]?.revision], [1, 3]);
    const second = (await got(`?pageSize=1&pageToken=${first.nextPageToken}`)) as unknown as typeof first;
    assert.equal(second.items[0]?.revision, 1);
    const done = (await got(`?filter=${encodeURIComponent('outcome == "Succeeded"')}`)) as unknown as typeof first;
    assert.deepEqual(
      done.items.map(({ revision }) => revision),
      [1],
    );
  });

  it('show what was asked for, secrets masked, and what was planned', async () => {
    const body = await got('/3');
    assert.partialDeepStrictEqual(body, {
      revision: 3,
      spec: { config: { token: '[redacted]', size: 2 } },
      plan: {
        steps: [
          { name: 'canary', deliver: 1, remove: 0 },
          { name: 'rest', deliver: 2, remove: 0 },
        ],
        deliver: 3,
        remove: 0,
        current: 0,
      },
    });
    assert.ok(!JSON.stringify(body).includes('ref-x'));
  });

  it('that are not there are 404, and so are those of no deployment', async () => {
    const { status, body } = await api.send(`GET ${REVISIONS}/2`);
    assert.deepEqual([status, body['code']], [404, 'revisionNotFound']);
    assert.equal((await api.send('GET /v1/workspaces/emea/deployments/nobody/revisions')).status, 404);
    assert.equal((await api.send(`GET ${REVISIONS}/0`)).status, 400);
  });

  describe('compared', () => {
    it('tell what changed in the spec and on each target, and that a secret did, but not the secret', async () => {
      const body = (await got('/3:diff')) as unknown as {
        against: number;
        spec: { path: string }[];
        counts: object;
        targets: { target: string; kind: string; documents: unknown[] }[];
      };
      assert.equal(body.against, 1);
      assert.deepEqual(
        body.spec.map(({ path }) => path),
        ['/config/size', '/config/token'],
      );
      assert.deepEqual(body.counts, { added: 1, removed: 1, changed: 2, unchanged: 1 });
      assert.deepEqual(
        body.targets.map(({ target, kind }) => [target, kind]),
        [
          ['canary-1', 'changed'],
          ['fresh', 'added'],
          ['gone', 'removed'],
          ['prod-1', 'changed'],
        ],
      );
      assert.deepEqual(body.targets[0]?.documents, [
        {
          document: '#1',
          kind: 'changed',
          fields: [
            { path: '/pass', kind: 'changed', before: '[redacted]', after: '[redacted]' },
            { path: '/text', kind: 'changed', before: 'one', after: 'two' },
          ],
        },
      ]);
      assert.ok(!/hunter|ref-/.test(JSON.stringify(body)));
    });

    it('tell of one target when asked, by its name or uid', async () => {
      for (const target of ['prod-1', 'p1']) {
        const { targets } = (await got(`/3:diff?target=${target}`)) as unknown as { targets: { uid: string }[] };
        assert.deepEqual(
          targets.map(({ uid }) => uid),
          ['p1'],
        );
      }
    });

    it('go on from page to page', async () => {
      const pages = (await pagesOf('/3:diff?pageSize=3')) as unknown as { targets: { target: string }[] }[];
      const names = pages.flatMap(({ targets }) => targets.map(({ target }) => target));
      assert.deepEqual(names, ['canary-1', 'fresh', 'gone', 'prod-1']);
      assert.equal((await api.send(`GET ${REVISIONS}/3:diff?pageToken=abc`)).status, 400);
    });

    it('the other way round, with itself, and the first one with nothing', async () => {
      const back = (await got('/1:diff?against=3')) as unknown as { counts: { added: number; removed: number } };
      assert.deepEqual([back.counts.added, back.counts.removed], [1, 1]);
      const same = (await got('/3:diff?against=3')) as unknown as { spec: []; counts: { unchanged: number } };
      assert.deepEqual([same.spec, same.counts.unchanged], [[], 4]);
      const first = (await got('/1:diff')) as unknown as { against?: number; counts: { added: number } };
      assert.deepEqual([first.against, first.counts.added], [undefined, 4]);
      assert.equal((await api.send(`GET ${REVISIONS}/3:diff?against=2`)).status, 404);
    });
  });

  describe('as a timeline', () => {
    type Entries = { items: { turn: number; kind: string; message: string; count: number; targets: string[] }[] };
    const told = async (query: string) => ((await got(`/3/timeline${query}`)) as unknown as Entries).items;

    it('tell what happened when, with the names of targets', async () => {
      const all = await told('');
      assert.deepEqual(all[0]?.message, 'it was planned: the spec was changed: manifest');
      assert.deepEqual(
        all.filter(({ count }) => count > 0).map(({ turn, kind, targets }) => [turn, kind, targets.join(' ')]),
        [
          [1, 'sent', 'canary-1'],
          [2, 'applied', 'canary-1'],
          [3, 'available', 'canary-1'],
          [4, 'sent', 'prod-1 prod-2'],
          [5, 'unchanged', 'prod-1 prod-2'],
          [5, 'failed', 'prod-2'],
        ],
      );
    });

    it('tell what happened to one target', async () => {
      assert.deepEqual(
        (await told('?target=canary-1')).map(({ turn, kind }) => [turn, kind]),
        [
          [0, 'planned'],
          [1, 'sent'],
          [2, 'applied'],
          [3, 'available'],
        ],
      );
      assert.equal((await api.send(`GET ${REVISIONS}/3/timeline?target=unknown`)).status, 404);
    });

    it('go on from page to page, and are filtered', async () => {
      const all = await told('');
      const pages = (await pagesOf('/3/timeline?pageSize=4')) as unknown as Entries[];
      const paged = pages.flatMap(({ items }) => items);
      assert.deepEqual(paged, all);
      const failed = await told(`?filter=${encodeURIComponent('kind == "failed"')}`);
      assert.deepEqual(
        failed.map(({ targets }) => targets),
        [['prod-2']],
      );
    });
  });
});
