import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Type } from 'typebox';
import { defineListRoute, type HttpServer } from '../index.ts';
import { AS_ALICE, testServer } from '../testing/test-server.ts';

const Item = Type.Object({
  name: Type.String(),
  owner: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
});
const items = Array.from({ length: 250 }, (_, index) => ({
  name: `n${String(index).padStart(3, '0')}`,
  owner: index % 2 === 0 ? 'alice' : 'bob',
  labels: { third: String(index % 3), ...(index % 5 === 0 ? { five: 'yes' } : {}) },
}));

describe('a list', () => {
  let server: HttpServer;
  before(async () => {
    const list = defineListRoute({
      path: '/v1/boxes/{box}/items',
      operationId: 'listItems',
      summary: 'List the items',
      permission: 'items.list',
      schema: {
        params: Type.Object({ box: Type.String() }),
        query: Type.Object({ loud: Type.Optional(Type.Boolean()) }),
        item: Item,
      },
      filter: { name: 'string', labels: 'map<string, string>' },
      read: async ({ params, query }, { after: key, limit }) => {
        if (params.box === 'empty') return [];
        const from = key === undefined ? 0 : items.findIndex(({ name }) => name > String(key[0]));
        const found = from === -1 ? [] : items.slice(from, from + limit);
        return query.loud ? found.map((item) => ({ ...item, owner: item.owner.toUpperCase() })) : found;
      },
      keyOf: ({ name }) => [name],
      visible: ({ principal }, item) => principal.id === 'root' || item.owner.toLowerCase() === principal.id,
    });
    ({ server } = await testServer([list]));
  });
  after(() => server.close(1000));

  const get = (query: Record<string, string>, { as = 'root', box = 'b' } = {}) =>
    server.inject({ url: `/v1/boxes/${box}/items`, query, headers: { authorization: `Bearer ${as}` } });

  async function names(query: Record<string, string>, as = 'root'): Promise<string[]> {
    const found: string[] = [];
    for (let pageToken: string | undefined; ; ) {
      const answer = await get({ ...query, ...(pageToken === undefined ? {} : { pageToken }) }, { as });
      assert.equal(answer.statusCode, 200, answer.body);
      const page = answer.json() as { items: { name: string }[]; nextPageToken?: string };
      found.push(...page.items.map(({ name }) => name));
      pageToken = page.nextPageToken;
      if (pageToken === undefined) return found;
    }
  }

  it('shows a hundred items unless told otherwise', async () => {
    const page = (await get({})).json();
    assert.equal(page.items.length, 100);
    assert.equal(typeof page.nextPageToken, 'string');
  });

  it('is whole, page by page, of any size', async () => {
    const all = items.map(({ name }) => name);
    for (const pageSize of ['7', '249', '250', '1000']) assert.deepEqual(await names({ pageSize }), all);
  });

  it('shows what the filter matches and the caller may see', async () => {
    const filter = 'labels.third == "0" && labels.five == "yes"';
    const matching = items.filter(({ labels }) => labels.third === '0' && labels.five === 'yes');
    assert.deepEqual(
      await names({ filter, pageSize: '3' }),
      matching.map(({ name }) => name),
    );
    const own = matching.filter(({ owner }) => owner === 'alice');
    assert.deepEqual(
      await names({ filter, pageSize: '3' }, 'alice'),
      own.map(({ name }) => name),
    );
  });

  it('has no token when there is nothing', async () => {
    assert.deepEqual((await get({}, { box: 'empty' })).json(), { items: [] });
  });

  it('has parameters of its own', async () => {
    assert.equal((await get({ loud: 'true' })).json().items[0].owner, 'ALICE');
  });

  it('refuses a token of another list, filter or parameter', async () => {
    const { nextPageToken: pageToken } = (await get({ pageSize: '2' })).json();
    assert.equal((await get({ pageSize: '5', pageToken })).statusCode, 200, 'another size is fine');
    for (const [query, box] of [
      [{ pageToken, filter: 'name == "x"' }, 'b'],
      [{ pageToken, loud: 'true' }, 'b'],
      [{ pageToken }, 'c'],
      [{ pageToken: `${pageToken}x` }, 'b'],
    ] as const) {
      const answer = await get(query, { box });
      assert.equal(answer.statusCode, 400);
      assert.equal(answer.json().code, 'invalidPageToken');
    }
  });

  it('refuses what is out of range instead of clamping it', async () => {
    for (const pageSize of ['0', '1001', '-1', 'ten', '1e2', '']) {
      const answer = await get({ pageSize });
      assert.equal(answer.statusCode, 400, pageSize);
      assert.equal(answer.json().faults[0].path, 'query/pageSize');
    }
  });

  it('points at the mistake in a filter', async () => {
    const answer = await get({ filter: 'nmae == "x"' });
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().code, 'invalidFilter');
    assert.equal(answer.json().position, 0);
    assert.match(answer.json().faults[0].message, /character 1: Unknown variable: nmae; the fields are .*\bname\b/);
  });

  it('needs credentials like everything else', async () => {
    assert.equal((await server.inject({ url: '/v1/boxes/b/items', headers: {} })).statusCode, 401);
    assert.equal((await server.inject({ url: '/v1/boxes/b/items?nope=1', headers: AS_ALICE })).statusCode, 400);
  });
});
