import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import { PATIENCE_MS } from '#testing/patience';
import { homeFor } from '../home-for.ts';
import { addCaller, ask, made, STAFF } from './callers.ts';
import { withStorage } from './stored.ts';

const ROUNDS = 20;
const GRANT = { subject: { kind: 'user', id: 'somebody' }, role: 'viewer' };

for (const engine of DATABASES) {
  describe(`grants and what they are on, on ${engine}`, () => {
    it('a grant and the deletion of its workspace at the same moment: one of them comes first', async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start();
      const outcomes = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = `/v1/workspaces/web-${round}`;
        await made(platform, '/v1/workspaces', { name: `web-${round}` });
        const remove = () => platform.request(path, { method: 'DELETE' });
        const grant = () => platform.request(`${path}/grants`, { method: 'POST', body: GRANT });
        const [granted, deleted] =
          round % 2 === 0
            ? await Promise.all([grant(), remove()])
            : ((await Promise.all([remove(), grant()])).toReversed() as [Response, Response]);
        assert.equal(deleted.status, 204, await deleted.text());
        assert.ok([201, 404].includes(granted.status), await granted.text());
        assert.equal((await platform.request(path)).status, 404, 'the deletion is not lost');
        outcomes.add(String(granted.status));
        // A workspace recreated under the same name is a different one: old grants do not apply.
        await made(platform, '/v1/workspaces', { name: `web-${round}` });
        const { items } = (await (await platform.request(`${path}/grants`)).json()) as { items: object[] };
        assert.deepEqual(items, []);
      }
      t.diagnostic(`the grant got ${[...outcomes].join(' and ')}`);
      await platform.stop();
      const left = await withStorage(home, (storage) =>
        storage.all(sql`SELECT resource_name FROM access_grants`, AbortSignal.timeout(PATIENCE_MS)),
      );
      assert.deepEqual(left, []);
    });

    it('a service account that is made again under its name inherits nothing', async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start();
      for (const name of [STAFF, 'own']) await made(platform, '/v1/workspaces', { name });
      const wish = { name: 'robot', given: [{ role: 'admin', on: 'workspaces/own' }] } as const;
      const first = await addCaller(platform, wish);
      assert.equal((await ask(platform, first.token, '/v1/workspaces/own')).status, 200);
      const account = `/v1/workspaces/${STAFF}/service-accounts/robot`;
      assert.equal((await platform.request(account, { method: 'DELETE' })).status, 204);
      assert.equal((await ask(platform, first.token, '/v1/workspaces/own')).status, 401, 'its tokens end at once');

      const second = await addCaller(platform, { name: 'robot' });
      assert.equal((await ask(platform, second.token, '/v1/workspaces/own')).status, 404);
      const { items } = (await (await platform.request('/v1/workspaces/own/grants')).json()) as { items: object[] };
      assert.deepEqual(items, []);
      await platform.stop();
      const again = await home.start();
      assert.equal((await ask(again, second.token, '/v1/workspaces/own')).status, 404, 'nor after a restart');
    });
  });
}
