import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { StorageError, sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import type { UsageStore } from '../application/usage-meter.ts';

import { type GovernanceApi, governanceApi, memoryLogger, PATHS } from '../testing/governance-api.ts';
import { SqlUsageReader } from './sql-usage-reader.ts';
import { SqlUsageStore } from './sql-usage-store.ts';
import { UsageRecorder } from './usage-recorder.ts';

const signal = new AbortController().signal;
const paths = { pathOf: (name: string) => PATHS[name] };
const NONE = { targets: 0, deliveries: 0, indexRows: 0, tunnelBytes: 0 };

eachDatabase('usage', (fresh) => {
  let database: TestDatabase;
  let api: GovernanceApi;
  let usage: UsageRecorder;
  const births = () => ({ bornAt: ({ name }: { name: string }) => api.born.get(name) ?? 0 });
  const recorder = (parts: Partial<ConstructorParameters<typeof UsageRecorder>[0]> = {}) =>
    new UsageRecorder({
      storage: api.storage,
      paths,
      births: births(),
      clock: api.clock,
      log: memoryLogger(api.logged),
      ...parts,
    });

  beforeEach(async () => {
    database = await fresh();
    api = await governanceApi(database, {
      emea: { kind: 'some', workspaces: ['emea'], targets: [] },
      web: { kind: 'some', workspaces: ['web'], targets: [] },
    });
    usage = recorder();
  });
  afterEach(async () => {
    await api.close();
    await database.dispose();
  });

  const ask = (query: string, as = 'alice') =>
    api.server.inject({ url: `/v1/usage${query}`, headers: { authorization: `Bearer ${as}` } });
  const list = async (query = '', as = 'alice') => {
    const answer = await ask(query, as);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<{ items: object[] }>().items;
  };

  it('adds up what happens, and keeps the most of what there is, by workspace and day', async () => {
    usage.meter.add('web', 'deliveries', 2);
    usage.meter.observe('web', 'targets', 5);
    await usage.flush(signal);
    usage.meter.add('web', 'deliveries', 3);
    usage.meter.observe('web', 'targets', 4);
    usage.meter.add('apac', 'tunnelBytes', 7);
    await usage.flush(signal);
    api.clock.set(api.clock.now() + 86_400_000);
    usage.meter.observe('web', 'targets', 4);
    await usage.flush(signal);
    assert.deepEqual(await list(), [
      { ...NONE, day: '2030-01-01', workspace: 'apac', tunnelBytes: 7 },
      { ...NONE, day: '2030-01-01', workspace: 'web', targets: 5, deliveries: 5 },
      { ...NONE, day: '2030-01-02', workspace: 'web', targets: 4 },
    ]);
  });

  it('counts nothing twice when the answer to a commit is lost, and loses nothing', async () => {
    const real = new SqlUsageStore(api.storage, { paths, births: births() });
    let isBroken = true;
    const store: UsageStore = {
      add: async (batch, stop) => {
        await real.add(batch, stop);
        if (isBroken) throw new StorageError('OUTCOME_UNKNOWN', 'the connection broke while it committed');
      },
    };
    const shaky = recorder({ store });
    for (const amount of [1, 10, 100]) {
      shaky.meter.add('web', 'deliveries', amount);
      await assert.rejects(shaky.flush(signal));
    }
    isBroken = false;
    await shaky.flush(signal);
    assert.deepEqual(await list(), [{ ...NONE, day: '2030-01-01', workspace: 'web', deliveries: 111 }]);
  });

  it('asks for what is there though nothing changes, and writes the last before it stops', async () => {
    const gauge = { meter: 'targets' as const, read: async () => [{ workspace: 'web', amount: 9 }] };
    const running = recorder({ gauges: [gauge], sleep: api.clock.sleep });
    const stop = new AbortController();
    const ended = running.run(stop.signal);
    await api.clock.untilSleeping();
    running.meter.add('web', 'deliveries', 1);
    stop.abort();
    await ended;
    assert.deepEqual(await list(), [{ ...NONE, day: '2030-01-01', workspace: 'web', targets: 9, deliveries: 1 }]);
  });

  it('shows each caller his part, and sums a subtree', async () => {
    for (const workspace of ['root', 'emea', 'emea-2', 'emea2', 'web', 'apac', 'gone'])
      usage.meter.add(workspace, 'deliveries', 1);
    usage.meter.observe('web', 'targets', 2);
    usage.meter.observe('emea', 'targets', 3);
    await usage.flush(signal);
    const names = (items: object[]) => items.map((item) => (item as { workspace: string }).workspace);
    assert.deepEqual(names(await list('', 'emea')), ['emea', 'web']);
    assert.deepEqual(names(await list('?workspace=web')), ['web']);
    assert.deepEqual(await list('?workspace=emea&subtree=true'), [
      { ...NONE, day: '2030-01-01', workspace: 'emea', deliveries: 2, targets: 5 },
    ]);
    assert.deepEqual(await list('?workspace=root&subtree=true'), [
      { ...NONE, day: '2030-01-01', workspace: 'root', deliveries: 7, targets: 5 },
    ]);
    assert.deepEqual(names(await list('?filter=targets%20%3E%202')), ['emea']);
    const page = (await ask('?pageSize=2')).json<{ items: object[]; nextPageToken: string }>();
    const rest = await list(`?pageSize=10&pageToken=${page.nextPageToken}`);
    assert.deepEqual(
      [...names(page.items), ...names(rest)],
      ['apac', 'emea', 'emea-2', 'emea2', 'gone', 'root', 'web'],
    );
  });

  it('shows whoever has a name nothing of the earlier one that had it, also of the same day', async () => {
    const HOUR = 3_600_000;
    const count = async (deliveries: number, targets: number) => {
      usage.meter.add('web', 'deliveries', deliveries);
      usage.meter.observe('web', 'targets', targets);
      usage.meter.add('emea', 'deliveries', 1);
      await usage.flush(signal);
    };
    await count(100, 50);
    const [yesterday, today] = ['2030-01-01', '2030-01-02'];
    api.clock.set(api.clock.now() + 24 * HOUR);
    await count(10, 5);
    api.clock.set(api.clock.now() + HOUR);
    api.born.set('web', api.clock.now());
    assert.deepEqual(await list('', 'web'), [], 'it was made just now');
    await count(1, 7);
    const own = [{ ...NONE, day: today, workspace: 'web', deliveries: 1, targets: 7 }];
    for (const query of ['', '?workspace=web', '?workspace=web&subtree=true']) {
      assert.deepEqual(await list(query, 'web'), own, query);
    }
    // A caller who sees more sees both in the list; a query by name returns the workspace that has it now.
    assert.deepEqual(await list('?workspace=web', 'alice'), own);
    assert.deepEqual(await list('', 'emea'), [
      { ...NONE, day: yesterday, workspace: 'emea', deliveries: 1 },
      { ...NONE, day: yesterday, workspace: 'web', deliveries: 100, targets: 50 },
      { ...NONE, day: today, workspace: 'emea', deliveries: 2 },
      { ...NONE, day: today, workspace: 'web', deliveries: 11, targets: 7 },
    ]);
  });

  it('shows an amount of an unknown birth to the workspace that had the name at its time', async () => {
    const [start, end] = [Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 2)];
    const row = sql`INSERT INTO usage_counters (day, workspace, born, meter, path, amount, time)
      VALUES ('2030-01-01', 'web', 0, 'deliveries', '/root/emea/web/', 7, ${end - 1})`;
    await api.storage.commit([row], signal);
    const reader = new SqlUsageReader(api.storage);
    const days = { from: '2030-01-01', to: '2030-01-02', after: undefined, limit: 10 };
    const counted = async (since: number) => {
      const place = { name: 'web', path: '/root/emea/web/', since };
      return await reader.byWorkspace({ ...days, seen: [place], workspace: place }, signal);
    };
    assert.deepEqual(await counted(start), [{ ...NONE, day: '2030-01-01', workspace: 'web', deliveries: 7 }]);
    assert.deepEqual(await counted(end), [], 'a workspace that was created on a later day has no part in it');
  });

  it('looks at the last 30 days unless told', async () => {
    usage.meter.add('web', 'deliveries', 1);
    await usage.flush(signal);
    api.clock.set(api.clock.now() + 31 * 86_400_000);
    assert.deepEqual(await list(), []);
    assert.equal((await list('?from=2030-01-01&to=2030-01-01')).length, 1);
  });

  for (const { query, code } of [
    { query: '?from=2030-01-02&to=2030-01-01', code: 'invalidPeriod' },
    { query: '?subtree=true', code: 'subtreeOfNothing' },
    { query: '?from=yesterday', code: 'validationFailed' },
  ]) {
    it(`refuses ${query}`, async () => {
      const answer = await ask(query);
      assert.deepEqual([answer.statusCode, answer.json().code], [400, code]);
    });
  }

  it('takes nothing but whole numbers from 0', () => {
    for (const amount of [-1, 1.5, Number.NaN]) {
      assert.throws(() => usage.meter.add('web', 'deliveries', amount), { code: 'INVALID_AMOUNT' });
    }
  });
});
