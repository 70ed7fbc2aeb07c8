import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { followEvents } from './follow-events.ts';
import { homeFor } from './home-for.ts';
import { beginSlowCreate } from './slow-request.ts';

for (const engine of DATABASES) {
  describe(`a platform on ${engine}`, () => {
    it('goes on where it was stopped', async (t) => {
      const home = await homeFor(t, engine);
      const first = await home.start();
      const made = await first.request('/v1/workspaces', { method: 'POST', body: { name: 'kept' } });
      assert.equal(made.status, 201);
      assert.equal((await first.stop()).code, 0);

      const second = await home.start();
      const found = await second.request('/v1/workspaces/kept');
      assert.deepEqual([found.status, await found.json()], [200, await made.json()]);
      assert.equal(second.token, first.token, 'the token is made once');
      for await (const { type, workspace } of followEvents(second, '?from=beginning&types=workspace.created')) {
        assert.deepEqual([type, workspace], ['workspace.created', 'kept']);
        break;
      }
    });

    it('ends in order when asked to: streams end, what is under way is answered and kept', async (t) => {
      const home = await homeFor(t, engine);
      const platform = await home.start();
      const stream = followEvents(platform, '?from=beginning&types=workspace.created');
      await platform.request('/v1/workspaces', { method: 'POST', body: { name: 'seen' } });
      assert.equal((await stream.next()).value?.workspace, 'seen');
      const slow = await beginSlowCreate(platform, 'slow');

      const stopped = platform.stop();
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
      assert.equal((await slow.finish()).status, 201);
      assert.equal((await stopped).code, 0);

      const again = await home.start();
      assert.equal((await again.request('/v1/workspaces/slow')).status, 200);
    });
  });
}

describe('a platform that is asked to stop', () => {
  it('does not wait beyond its deadline for a request that never ends', async (t) => {
    const asked = async (deadline: string) => {
      const platform = await (await homeFor(t)).start({ flags: ['--shutdown-timeout', deadline] });
      return { platform, slow: await beginSlowCreate(platform, 'never') };
    };
    const [patient, hasty] = await Promise.all([asked('10m'), asked('1s')]);
    // Stopped first: if it used the other's deadline, it would have dropped its request by the time the other has ended.
    const waits = patient.platform.stop();
    const stopped = hasty.platform.stop();
    const outcome = await hasty.slow.answer.catch(() => undefined);
    assert.equal((await stopped).code, 0);
    assert.ok(outcome === undefined || outcome.status === 503, outcome?.body ?? '');
    assert.equal((await patient.slow.finish()).status, 201, 'the one with ten minutes still waits');
    assert.equal((await waits).code, 0);
  });

  it('ends at once when asked again', async (t) => {
    const home = await homeFor(t);
    const platform = await home.start();
    await beginSlowCreate(platform, 'never');
    const stream = followEvents(platform, '?from=beginning&types=workspace.created');
    await platform.request('/v1/workspaces', { method: 'POST', body: { name: 'seen' } });
    await stream.next();
    const first = platform.stop();
    // The end of the stream shows that the first signal was received.
    await stream.next();
    await platform.stop();
    assert.equal((await first).code, 143);
  });
});

describe('TLS', () => {
  it('is served with a certificate of the authority in the data folder', async (t) => {
    const home = await homeFor(t);
    const platform = await home.start();
    const ca = await readFile(join(home.data, 'tls', 'ca.crt'));
    const { port } = new URL(platform.tlsUrl);
    const headers = { authorization: `Bearer ${platform.token}` };
    for (const host of ['localhost', '127.0.0.1']) {
      assert.equal(await statusOf({ host, port, ca, headers, path: '/v1/workspaces/root' }), 200, host);
    }
    await assert.rejects(statusOf({ host: 'localhost', port, path: '/readyz' }), 'nobody else vouches for it');

    await platform.stop();
    const { tlsUrl } = await home.start();
    const options = { host: 'localhost', port: new URL(tlsUrl).port, ca, path: '/readyz' };
    assert.equal(await statusOf(options), 200, 'whoever trusted it once trusts the next start');
  });
});

function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}
