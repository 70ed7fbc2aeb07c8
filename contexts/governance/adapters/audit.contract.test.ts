import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { AuditEntry } from '#kit/http';
import { type Statement, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { AS_ALICE } from '../../../kit/http/testing/test-server.ts';
import { type GovernanceApi, governanceApi } from '../testing/governance-api.ts';

const signal = new AbortController().signal;
const ALICE = { kind: 'user', id: 'alice' };

function done(number: number, parts: Partial<AuditEntry> = {}): AuditEntry {
  return {
    time: Date.UTC(2030, 0, 1) + number,
    requestId: `r${number}`,
    operationId: 'patchWorkspace',
    method: 'PATCH',
    path: '/v1/workspaces/web',
    params: { workspace: 'web' },
    resource: '/v1/workspaces/web',
    principal: ALICE,
    address: '127.0.0.1',
    outcome: 'done',
    ...parts,
  };
}

const inWorkspace = (name: string, parts: Partial<AuditEntry> = {}) => ({
  ...parts,
  params: { workspace: name },
  resource: `/v1/workspaces/${name}`,
});

eachDatabase('audit', (fresh, engine) => {
  let database: TestDatabase;
  let api: GovernanceApi;
  beforeEach(async () => {
    database = await fresh();
    api = await governanceApi(database, {
      emea: { kind: 'some', workspaces: ['emea'], targets: ['t1'] },
      nobody2: { kind: 'some', workspaces: [], targets: [] },
    });
  });
  afterEach(async () => {
    await api.close();
    await database.dispose();
  });

  const append = async (entries: readonly AuditEntry[]) => {
    for (const entry of entries) await api.storage.write((tx) => api.sink.append(tx, entry), signal);
  };
  const list = async (query = '', as = 'alice') => {
    const answer = await api.server.inject({ url: `/v1/audit${query}`, headers: { authorization: `Bearer ${as}` } });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json() as { items: Record<string, unknown>[]; nextPageToken?: string };
  };
  const requests = async (query = '', as = 'alice') => (await list(query, as)).items.map(({ requestId }) => requestId);
  const verify = async (body: object = {}) => {
    const answer = await api.server.inject({
      method: 'POST',
      url: '/v1/audit:verify',
      headers: AS_ALICE,
      payload: body,
    });
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json() as { intact: boolean; checked: number; pending: number; head: object; faults: object[] };
  };
  const tamper = async (...statements: Statement[]) => await api.storage.commit(statements, signal);

  it('names the token or the session that was shown, and both count in the chain', async () => {
    const shown = [{ token: 'k1' }, { session: 's1' }, undefined];
    await append(shown.map((each, number) => done(number, { principal: { ...ALICE, ...(each && { shown: each }) } })));
    await api.chained(3);
    const { items } = await list();
    assert.deepEqual(
      items.map(({ token, session, principal }) => [token, session, principal]),
      [
        [undefined, undefined, ALICE],
        [undefined, 's1', ALICE],
        ['k1', undefined, ALICE],
      ],
    );
    assert.equal((await verify()).intact, true);
    await tamper(sql`UPDATE audit_log SET token_id = 'k2' WHERE token_id = 'k1'`);
    assert.equal((await verify()).intact, false);
  });

  it('has what was committed and nothing else, whole and in order', async () => {
    await append([done(1, { before: 'sha256:b', after: 'sha256:a' })]);
    await assert.rejects(
      api.storage.write(async (tx) => {
        await api.sink.append(tx, done(2));
        throw new RangeError('not kept');
      }, signal),
      RangeError,
    );
    await api.chained(1);
    const { items } = await list();
    assert.partialDeepStrictEqual(items, [
      {
        time: '2030-01-01T00:00:00.001Z',
        requestId: 'r1',
        operation: 'patchWorkspace',
        resource: '/v1/workspaces/web',
        workspace: 'web',
        principal: ALICE,
        outcome: 'done',
        beforeHash: 'sha256:b',
        afterHash: 'sha256:a',
        count: 1,
        position: 1,
      },
    ]);
    assert.deepEqual((await verify()).faults, []);
  });

  it('chains what many write at once, without a gap, and none of them fails', async () => {
    const writers = Array.from({ length: 40 }, (_, writer) => append([0, 1, 2, 3].map((n) => done(writer * 4 + n))));
    await Promise.all(writers);
    await api.chained(160);
    const { intact, checked, pending } = await verify();
    assert.deepEqual({ intact, checked, pending }, { intact: true, checked: 160, pending: 0 });
  });

  const alone = engine === 'sqlite' && 'a file belongs to one process';
  it('is chained once by several processes', { skip: alone }, async () => {
    const others = await Promise.all([governanceApi(database), governanceApi(database)]);
    await Promise.all(
      [api, ...others].map((each, n) =>
        Promise.all(
          Array.from({ length: 20 }, (_, m) =>
            each.storage.write((tx) => each.sink.append(tx, done(n * 20 + m)), signal),
          ),
        ),
      ),
    );
    await api.chained(60);
    assert.deepEqual([(await verify()).faults, (await verify()).checked], [[], 60]);
    for (const other of others) await other.close();
  });

  for (const { why, how, want } of [
    {
      why: 'changed',
      how: [sql`UPDATE audit_log SET principal_id = 'bob' WHERE position = 3`],
      want: [{ kind: 'changed', position: 3 }],
    },
    {
      why: 'missing',
      how: [sql`DELETE FROM audit_log WHERE position = 3`],
      want: [{ kind: 'missing', position: 3, other: 3 }],
    },
    {
      why: 'missing at the end',
      how: [sql`DELETE FROM audit_log WHERE position = 5`],
      want: [{ kind: 'missing', position: 5, other: 5 }],
    },
    {
      why: 'swapped',
      how: [
        sql`UPDATE audit_log SET position = -2 WHERE position = 2`,
        sql`UPDATE audit_log SET position = 2 WHERE position = 4`,
        sql`UPDATE audit_log SET position = 4 WHERE position = -2`,
      ],
      want: [{ kind: 'swapped', position: 2, other: 4 }],
    },
  ]) {
    it(`finds a row that is ${why}`, async () => {
      await append([1, 2, 3, 4, 5].map((number) => done(number)));
      await api.chained(5);
      await tamper(...how);
      const { intact, faults } = await verify();
      assert.deepEqual({ intact, faults }, { intact: false, faults: want });
    });
  }

  it('finds a tail that was cut off in order, when its head was kept elsewhere', async () => {
    await append([1, 2, 3].map((number) => done(number)));
    await api.chained(3);
    const { head } = await verify();
    await tamper(
      sql`DELETE FROM audit_log WHERE position = 3`,
      sql`UPDATE audit_chain SET position = 2, hash = (SELECT hash FROM audit_log WHERE position = 2) WHERE name = 'head'`,
    );
    assert.equal((await verify()).intact, true);
    assert.deepEqual((await verify({ expectedHead: head })).faults, [{ kind: 'truncated', position: 3 }]);
    await append([done(4)]);
    await api.chained(3);
    assert.deepEqual((await verify({ expectedHead: head })).faults, [{ kind: 'rewritten', position: 3 }]);
  });

  it('stays verifiable once its oldest part was purged', async () => {
    await append([1, 2, 3, 4].map((number) => done(number)));
    await api.chained(4);
    await tamper(
      sql`UPDATE audit_chain SET position = 2, hash = (SELECT hash FROM audit_log WHERE position = 2) WHERE name = 'start'`,
      sql`DELETE FROM audit_log WHERE position <= 2`,
    );
    const { faults, checked } = await verify();
    assert.deepEqual({ faults, checked }, { faults: [], checked: 2 });
  });

  it('tells the head of a day once it is over, to the log and to whoever asks', async () => {
    for (const number of [1, 2]) {
      await append([done(number)]);
      await api.chained(number);
    }
    api.clock.set(Date.UTC(2030, 0, 2, 1));
    await append([done(3)]);
    await api.chained(3);
    const answer = await api.server.inject({ url: '/v1/audit/heads', headers: AS_ALICE });
    const [head] = answer.json<{ items: { day: string; position: number; hash: string }[] }>().items;
    assert.deepEqual([head?.day, head?.position], ['2030-01-01', 2]);
    const heads = (): string[] => api.logged.filter((line) => line.startsWith('head of the audit log'));
    // Logged a moment after it is written.
    while (heads().length === 0) await turn();
    const lines = heads();
    assert.equal(lines.length, 1);
    assert.ok(lines[0]?.includes(head?.hash ?? 'none'));
  });

  it('takes refusals down, the first of a kind at once', async () => {
    await api.sink.refused(done(1, { outcome: 'denied' }));
    await api.sink.refused(done(2, { outcome: 'denied' }));
    await api.sink.refused(done(3, { outcome: 'unauthenticated', principal: undefined }));
    await api.chained(2);
    assert.deepEqual(await requests(), ['r3', 'r1']);
    api.clock.set(api.clock.now() + 60_000);
    await api.chained(3);
    const [newest] = (await list()).items;
    assert.deepEqual([newest?.['requestId'], newest?.['count'], newest?.['outcome']], ['r2', 1, 'denied']);
  });

  it('has a refusal when its caller is answered', async () => {
    await api.sink.refused(done(1, { outcome: 'denied' }));
    const rows = async () =>
      (await api.storage.all(sql`SELECT id FROM audit_arrivals UNION ALL SELECT id FROM audit_log`, signal)).length;
    assert.equal(await rows(), 1);
    await api.sink.refused(done(2, { outcome: 'denied' }));
    assert.equal(await rows(), 1, 'a repeated one is only counted');
  });

  it('shows each caller his part, and no place that tells of the rest', async () => {
    await append([
      done(1, inWorkspace('root')),
      done(2, inWorkspace('emea')),
      done(3, inWorkspace('web')),
      done(4, inWorkspace('apac')),
      done(5, inWorkspace('emea-2')),
      done(6, { params: {}, resource: '/v1/targets/t1:cordon' }),
      done(7, { params: {}, resource: '/v1/targets/t10' }),
      done(8, inWorkspace('emea2')),
    ]);
    await api.chained(8);
    assert.deepEqual(await requests('', 'emea'), ['r6', 'r3', 'r2']);
    assert.deepEqual(await requests('', 'nobody2'), []);
    assert.equal((await requests()).length, 8);
    const { items, nextPageToken = '' } = await list('?pageSize=1', 'emea');
    assert.deepEqual([items[0]?.['position'], items[0]?.['hash']], [undefined, undefined]);
    assert.deepEqual(await requests(`?pageSize=2&pageToken=${nextPageToken}`, 'emea'), ['r3', 'r2']);
  });

  it('is asked by workspace, principal, resource, outcome, time and condition', async () => {
    const bob = { kind: 'serviceAccount', id: 'bots:bob' };
    api.clock.set(Date.UTC(2030, 0, 1, 1));
    await append([
      done(1, inWorkspace('emea')),
      done(2, { principal: bob }),
      done(3, { ...inWorkspace('apac'), outcome: 'denied' }),
      done(60_000, { operationId: 'deleteWorkspace' }),
    ]);
    await api.chained(4);
    for (const { query, want } of [
      { query: 'workspace=emea', want: ['r60000', 'r2', 'r1'] },
      { query: 'workspace=web', want: ['r60000', 'r2'] },
      { query: 'principal=bots:bob', want: ['r2'] },
      { query: 'principal=serviceAccount:bots:bob', want: ['r2'] },
      { query: 'principal=user:alice', want: ['r60000', 'r3', 'r1'] },
      { query: 'principal=user:bots:bob', want: [] },
      { query: 'resource=/v1/workspaces/apac', want: ['r3'] },
      { query: 'resource=/v1/workspaces', want: ['r60000', 'r3', 'r2', 'r1'] },
      { query: 'outcome=denied', want: ['r3'] },
      { query: 'from=2030-01-01T00:00:30Z', want: ['r60000'] },
      { query: 'to=2030-01-01T00:00:30Z', want: ['r3', 'r2', 'r1'] },
      { query: `filter=${encodeURIComponent('principal.id == "bots:bob"')}`, want: ['r2'] },
      { query: `filter=${encodeURIComponent('operation == "deleteWorkspace"')}`, want: ['r60000'] },
    ]) {
      assert.deepEqual(await requests(`?${query}`), want, query);
    }
    const wrong = await api.server.inject({
      url: '/v1/audit?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z',
      headers: AS_ALICE,
    });
    assert.deepEqual([wrong.statusCode, wrong.json().code], [400, 'invalidPeriod']);
  });

  it('keeps no more of what a caller wrote than anybody reads', async () => {
    await api.sink.refused(
      done(1, { resource: `/v1/\u0000${'x'.repeat(5_000)}`, address: '\ud800', outcome: 'denied' }),
    );
    await api.chained(1);
    const [entry] = (await list()).items;
    assert.equal(String(entry?.['resource']).length, 512);
    assert.equal((await verify()).intact, true);
  });
});
