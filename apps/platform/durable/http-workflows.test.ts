import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../kit/http/testing/test-server.ts';
import { diary, errand } from '../testing/errands.ts';
import { has, WorkflowApi } from '../testing/workflow-api.ts';
import { ALL, LISTED, READING, REFUSED } from '../testing/workflow-scenarios.ts';

const signal = new AbortController().signal;

eachDatabase(ALL, (fresh) => {
  let database: TestDatabase;
  let api: WorkflowApi;
  before(async () => {
    database = await fresh();
    api = await WorkflowApi.open(database);
    await api.startOneOfEach();
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });

  for (const [what, rows] of Object.entries({ shows: READING, refuses: REFUSED })) {
    describe(what, () => {
      for (const { why, call, send, want } of rows) {
        it(why, async () => {
          const { status, body } = await api.call(call, send);
          assert.equal(status, want[0], JSON.stringify(body));
          assert.partialDeepStrictEqual(body, want[1]);
        });
      }
    });
  }

  describe('lists', () => {
    for (const { why, query, ids } of LISTED) {
      it(why, async () => assert.deepEqual(idsIn((await api.call(`GET ${ALL}${query}`)).body), ids));
    }

    it('page by page', async () => {
      const seen: unknown[] = [];
      let token = '';
      do {
        const { body } = await api.call(`GET ${ALL}?status=running&pageSize=2${token}`);
        const page = idsIn(body);
        assert.ok(page.length <= 2);
        seen.push(...page);
        const next = (body as { nextPageToken?: string }).nextPageToken;
        token = next === undefined ? '' : `&pageToken=${next}`;
      } while (token !== '');
      assert.deepEqual(seen, ['parent-child', 'parent', 'napping', 'listening', 'retrying']);
    });

    it('and takes no token of another list', async () => {
      const { body } = await api.call(`GET ${ALL}?pageSize=1`);
      const { nextPageToken } = body as { nextPageToken: string };
      const other = await api.call(`GET ${ALL}?name=errand&pageSize=1&pageToken=${nextPageToken}`);
      assert.deepEqual([other.status, codeIn(other.body)], [400, 'invalidPageToken']);
    });
  });

  it('a dry run promises and does nothing', async () => {
    const asked = await api.call(`POST ${ALL}/napping:cancel?dryRun=true`, { reason: 'why not' });
    assert.deepEqual(asked, { status: 202, body: { workflow: 'napping', request: 'cancel' } });
    // Signals arrive in order: had the cancel been sent, it would have come first.
    await api.client.pause('napping', signal);
    await api.until('napping', has('paused'));
    await api.client.resume('napping', signal);
    await api.until('napping', has('running'));
  });

  it('pauses and resumes', async () => {
    const paused = await api.call(`POST ${ALL}/listening:pause`);
    assert.deepEqual(paused, { status: 202, body: { workflow: 'listening', request: 'pause' } });
    await api.until('listening', has('paused'));
    assert.deepEqual(idsIn((await api.call(`GET ${ALL}?status=paused`)).body), ['listening']);
    const resumed = await api.call(`POST ${ALL}/listening:resume`);
    assert.deepEqual(resumed, { status: 202, body: { workflow: 'listening', request: 'resume' } });
    await api.until('listening', has('running'));
  });

  it('cancels, and says why afterwards', async () => {
    await api.start(
      'doomed',
      (id) => api.client.start(errand, { id, input: { things: ['moonlight'] } }, signal),
      has('running'),
    );
    assert.equal((await api.call(`POST ${ALL}/doomed:cancel`, { reason: 'no longer needed' })).status, 202);
    await api.until('doomed', has('cancelled'));
    const { body } = await api.call(`GET ${ALL}/doomed`);
    assert.partialDeepStrictEqual(body, { reason: { code: 'WORKFLOW_CANCELLED', message: 'no longer needed' } });
  });

  it('shows a history page by page, and none of a run that is over', async () => {
    const waits = ({ waitingFor }: { waitingFor: readonly { kind: string }[] }) => waitingFor[0]?.kind === 'signal';
    await api.start('diary', (id) => api.client.start(diary, { id, input: { day: 1 } }, signal), waits);
    const first = (await api.call(`GET ${ALL}/diary/history?pageSize=1`)).body as Page;
    const second = (await api.call(`GET ${ALL}/diary/history?pageSize=1&pageToken=${first.nextPageToken}`))
      .body as Page;
    assert.deepEqual(
      [...first.items, ...second.items].map(({ step }) => step),
      [1, 2],
    );
    assert.equal(second.nextPageToken, undefined);
    const elsewhere = await api.call(`GET ${ALL}/done/history?pageToken=${first.nextPageToken}`);
    assert.deepEqual([elsewhere.status, codeIn(elsewhere.body)], [400, 'invalidPageToken']);

    await api.start(
      'diary',
      (id) => api.client.signal(id, { name: 'next day', payload: null }, signal),
      ({ run }) => run === 2,
    );
    await api.until('diary', waits);
    const over = await api.call(`GET ${ALL}/diary/history?pageSize=1&pageToken=${first.nextPageToken}`);
    assert.deepEqual([over.status, codeIn(over.body)], [400, 'invalidPageToken']);
  });

  it('shows one that the code at hand cannot replay as parked', async (t) => {
    const server = await api.otherCode();
    t.after(() => server.close(1_000));
    const { statusCode, body } = await server.inject({ method: 'GET', url: `${ALL}/listening`, headers: AS_ALICE });
    assert.equal(statusCode, 200, body);
    assert.partialDeepStrictEqual(JSON.parse(body), { status: 'parked', reason: { code: 'WORKFLOW_UNKNOWN' } });
  });

  it('asks for one permission to look, and for another to steer', () => {
    const routes = api.server.routes().filter(({ path }) => path.startsWith(ALL));
    assert.deepEqual(
      routes.map(({ method, path, permission }) => `${method} ${path} ${permission}`),
      [
        `GET ${ALL} workflows.read`,
        `GET ${ALL}/{workflow} workflows.read`,
        `GET ${ALL}/{workflow}/history workflows.read`,
        `POST ${ALL}/{workflow}:cancel workflows.steer`,
        `POST ${ALL}/{workflow}:pause workflows.steer`,
        `POST ${ALL}/{workflow}:resume workflows.steer`,
      ],
    );
  });
});

interface Page {
  readonly items: readonly { readonly step: number }[];
  readonly nextPageToken?: string;
}

function idsIn(body: unknown): unknown[] {
  return (body as { items: { id: unknown }[] }).items.map(({ id }) => id);
}

function codeIn(body: unknown): unknown {
  return (body as { code?: unknown }).code;
}
