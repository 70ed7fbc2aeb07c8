import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { sql } from '#kit/storage';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { type KubeconfigServer, startKubeconfigServer } from '../testing/kubeconfig-server.ts';
import { proxiedClustersInTree } from './index.ts';

const signal = new AbortController().signal;
const WEB = '/v1/targets/web/kubeconfig';
const TOKEN = 'open-sesame-0123456789';

function kubeconfig(user: object = { token: TOKEN }, cluster: object = {}): string {
  return JSON.stringify({
    'current-context': 'one',
    clusters: [
      { name: 'c', cluster: { server: 'https://one.example:6443', ...cluster } },
      { name: 'other', cluster: { server: 'https://two.example' } },
    ],
    users: [
      { name: 'u', user },
      { name: 'unrelated', user: { token: 'somebody-elses-token' } },
    ],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u' } },
      { name: 'two', context: { cluster: 'other', user: 'u' } },
    ],
  });
}

eachDatabase('kubeconfigs of targets', (fresh) => {
  let database: TestDatabase;
  let api: KubeconfigServer;
  before(async () => {
    database = await fresh();
    api = await startKubeconfigServer(database);
  });
  after(async () => {
    await api.close();
    await database.dispose();
  });
  beforeEach(async () => {
    await api.storage.commit([sql`DELETE FROM proxied_clusters`], signal);
    api.speakers.length = 0;
  });

  const put = async (text: string, more: object = {}) => await api.call(`PUT ${WEB}`, { kubeconfig: text, ...more });

  it('go in and do not come out', async () => {
    const { status, body } = await put(kubeconfig());
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(body, {
      target: 'web',
      server: 'https://one.example:6443/',
      user: 'Token',
      insecure: false,
      state: 'Pending',
    });
    const got = await api.call(`GET ${WEB}`);
    assert.deepEqual([got.status, got.body], [200, body]);
    const said = JSON.stringify([body, api.log.lines]);
    assert.ok(!said.includes(TOKEN));
    assert.deepEqual(api.speakers, ['+web']);
  });

  it('are kept sealed, with nothing but what is needed', async () => {
    await put(kubeconfig());
    const rows = JSON.stringify(await api.storage.all(sql`SELECT * FROM proxied_clusters`, signal));
    assert.ok(!rows.includes(TOKEN));
    const [cluster] = await api.clusters.list(signal);
    assert.deepEqual(cluster, { target: 'uid-web', name: 'web', version: 1, wasStandingBy: false });
    const opened = await api.clusters.kubeconfig('uid-web', signal);
    const text = opened?.text.reveal() ?? '';
    assert.ok(text.includes(TOKEN));
    assert.ok(!text.includes('somebody-elses-token') && !text.includes('two.example'));
  });

  it('are replaced by others, and not by themselves', async () => {
    await put(kubeconfig());
    let told = 0;
    const stop = api.clusters.onChanged(() => (told += 1));
    assert.equal((await put(kubeconfig())).status, 200);
    assert.equal((await api.clusters.list(signal))[0]?.version, 1);
    const other = await put(kubeconfig(), { context: 'two' });
    assert.deepEqual([other.status, other.body.server], [200, 'https://two.example/']);
    assert.equal((await api.clusters.list(signal))[0]?.version, 2);
    assert.ok(told > 0, 'whoever serves them is told');
    stop();
  });

  for (const { why, text, more = {}, quotes } of [
    { why: 'runs a program', text: kubeconfig({ exec: { command: 'aws' } }) },
    { why: 'names a file', text: kubeconfig({ tokenFile: '/etc/shadow' }) },
    { why: 'has a password', text: kubeconfig({ username: 'me', password: TOKEN }) },
    { why: 'shows a token in the clear', text: kubeconfig({ token: TOKEN }, { server: 'http://one.example' }) },
    { why: 'has no such context', text: kubeconfig(), more: { context: 'three' } },
    { why: 'is no YAML', text: `token: ${TOKEN}\n: [` },
    { why: 'is something else', text: '[]' },
    { why: 'is only a word', text: TOKEN, quotes: TOKEN },
  ]) {
    it(`are refused when one ${why}`, async () => {
      const { status, body } = await put(text, more);
      assert.deepEqual([status, body.code], [400, 'kubeconfigUnusable'], JSON.stringify(body));
      assert.ok(!JSON.stringify(body).includes(quotes ?? TOKEN));
      assert.deepEqual(api.speakers, []);
    });
  }

  it('are refused when they lead where the platform does not dial, and nothing is kept', async () => {
    const { status, body } = await put(kubeconfig({ token: TOKEN }, { server: 'https://10.0.0.1' }));
    assert.deepEqual([status, body.code], [400, 'kubeconfigUnusable'], JSON.stringify(body));
    assert.match(JSON.stringify(body), /10\.0\.0\.1 is a private address/);
    assert.deepEqual(await api.clusters.list(signal), []);
  });

  it('are of targets that are clusters', async () => {
    const text = kubeconfig();
    const folder = await api.call('PUT /v1/targets/folder/kubeconfig', { kubeconfig: text });
    assert.deepEqual([folder.status, folder.body.code], [409, 'notACluster']);
    for (const verb of ['PUT', 'GET', 'DELETE']) {
      const nobody = await api.call(
        `${verb} /v1/targets/nobody/kubeconfig`,
        verb === 'PUT' ? { kubeconfig: text } : undefined,
      );
      assert.deepEqual([nobody.status, nobody.body.code], [404, 'targetNotFound']);
    }
    for (const verb of ['GET', 'DELETE']) {
      const none = await api.call(`${verb} ${WEB}`);
      assert.deepEqual([none.status, none.body.code], [404, 'kubeconfigNotFound']);
    }
  });

  it('are forgotten, by themselves or with their target', async () => {
    await put(kubeconfig());
    assert.equal((await api.call(`DELETE ${WEB}`)).status, 204);
    assert.deepEqual(api.speakers, ['+web', '-web']);
    assert.equal(await api.clusters.kubeconfig('uid-web', signal), undefined);
    await put(kubeconfig());
    await api.storage.write((tx) => proxiedClustersInTree(tx).deleted({ uid: 'uid-web' }, signal), signal);
    assert.deepEqual(await api.clusters.list(signal), []);
  });

  it('are not kept by a dry run', async () => {
    const { status } = await api.call(`PUT ${WEB}?dryRun=true`, { kubeconfig: kubeconfig() });
    assert.equal(status, 201);
    assert.deepEqual(await api.clusters.list(signal), []);
  });

  it('show how it stands with the cluster, as it was seen with this one', async () => {
    await put(kubeconfig({ 'client-certificate-data': 'YQ==', 'client-key-data': 'Yg==', as: 'robot' }));
    const [cluster] = await api.clusters.list(signal);
    assert.ok(cluster);
    const seen = { clusterUid: 'k', clusterVersion: 'v1.36.3', time: 1_900_000_000_000 };
    await api.clusters.observe(api.storage, { cluster, observed: { state: 'Serving', message: '', ...seen } }, signal);
    assert.partialDeepStrictEqual((await api.call(`GET ${WEB}`)).body, {
      user: 'Certificate',
      impersonates: 'robot',
      state: 'Serving',
      clusterUid: 'k',
      clusterVersion: 'v1.36.3',
      observeTime: '2030-03-17T17:46:40.000Z',
    });
    const away = { clusterUid: undefined, clusterVersion: undefined, time: 1_900_000_000_001 };
    await api.clusters.observe(
      api.storage,
      { cluster, observed: { state: 'Unreachable', message: 'no answer', ...away } },
      signal,
    );
    const { body } = await api.call(`GET ${WEB}`);
    assert.deepEqual(
      [body.state, body.message, body.clusterUid],
      ['Unreachable', 'no answer', 'k'],
      'it is known still',
    );
    await put(kubeconfig());
    await api.clusters.observe(api.storage, { cluster, observed: { state: 'Serving', message: '', ...seen } }, signal);
    assert.equal((await api.call(`GET ${WEB}`)).body.state, 'Pending', 'that was of the one before');
  });
});
