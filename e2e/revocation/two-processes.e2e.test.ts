import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { addCaller, made, STAFF } from '../access/callers.ts';
import { homeFor } from '../home-for.ts';
import { API_STREAMS, openStream } from './open-stream.ts';
import { bearer, serveTarget, TARGET } from './revocation-world.ts';
import { startStreamingCluster } from './streaming-cluster.ts';

describe('streams of one process, when another one on the same Postgres revokes', {
  skip: !DATABASES.includes('postgres') && 'Postgres is not asked for',
}, () => {
  it('end as soon as their process hears of it', async (t) => {
    const home = await homeFor(t, 'postgres');
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-second-'));
    const cluster = await startStreamingCluster();
    t.after(() => Promise.all([rm(folder, { recursive: true, force: true }), cluster.close()]));
    const keys = ['--key-file', join(folder, 'keys.json')];
    const first = await home.start({ flags: keys });
    const token = ['--admin-token-file', join(home.data, 'admin-token')];
    const second = await home.start({ flags: [...keys, ...token, '--data', join(folder, 'data')] });
    for (const name of [STAFF, 'shop']) await made(first, '/v1/workspaces', { name, parent: 'root' });
    // The leader of the instance runs the built-in fleetlet.
    const socket = join(home.data, 'fleetlet.sock');
    const agent = await serveTarget({ platform: first, cluster, folder, socket });
    t.after(() => agent.kill());

    for (const { why, revoke } of [
      {
        why: 'token',
        revoke: ({ token }: Revocable) => `/v1/workspaces/${STAFF}/service-accounts/of-token/tokens/${token}`,
      },
      { why: 'grant', revoke: ({ grant }: Revocable) => `/v1/workspaces/shop/grants/${grant}` },
    ]) {
      const { token, subject } = await addCaller(first, { name: `of-${why}` });
      const { name: grant } = await made(first, '/v1/workspaces/shop/grants', { subject, role: 'cluster-editor' });
      const streams = await Promise.all(
        Object.entries(API_STREAMS).map(async ([kind, { path, isUpgrade }]) => {
          const url = `${first.url}/targets/${TARGET}/api${path}&id=${why}-${kind}`;
          const stream = await openStream(url, bearer(token), isUpgrade);
          (await cluster.held(`${why}-${kind}`)).say('before');
          await stream.until('before');
          return stream;
        }),
      );
      const path = revoke({ token: token.split('_')[1] ?? '', grant: String(grant) });
      await eventually('the second process knows of it', async () => (await second.request(path)).ok);
      assert.equal((await second.request(path, { method: 'DELETE' })).status, 204);
      for (const stream of streams) await stream.closed;
      assert.match(first.said(), /"msg":"stream ended by the platform"/, 'they were not just lost');
    }
  });
});

interface Revocable {
  readonly token: string;
  readonly grant: string;
}
