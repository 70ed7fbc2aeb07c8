import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { homeFor } from '../home-for.ts';
import { addCaller, ask, made, STAFF } from './callers.ts';

/** What is promised is a second; a crowded machine takes its time. */
const PROMISED_MS = 1_000;
const PATIENCE_MS = 20_000;

describe('two processes on one Postgres', {
  skip: !DATABASES.includes('postgres') && 'Postgres is not asked for',
}, () => {
  it('what one of them gives or takes away, the other one knows', async (t) => {
    const home = await homeFor(t, 'postgres');
    const folder = await mkdtemp(join(tmpdir(), 'fleetshift-second-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const keys = ['--key-file', join(folder, 'keys.json')];
    const first = await home.start({ flags: keys });
    const second = await home.start({ flags: [...keys, '--data', join(folder, 'data')] });
    for (const name of [STAFF, 'own']) await made(first, '/v1/workspaces', { name });
    const caller = await addCaller(first, { name: 'robot' });
    const asSecond = async (): Promise<number> => (await ask(second, caller.token, '/v1/workspaces/own')).status;
    const lately: number[] = [];
    const until = async (status: number, what: string): Promise<void> => {
      lately.push(await waitFor(asSecond, status, what));
    };

    assert.equal(await asSecond(), 404, 'a token of the one is a token of the other');
    const grant = await made(first, '/v1/workspaces/own/grants', { subject: caller.subject, role: 'viewer' });
    await until(200, 'the grant');
    const path = `/v1/workspaces/own/grants/${String(grant['name'])}`;
    assert.equal((await first.request(path, { method: 'DELETE' })).status, 204);
    await until(404, 'that it was taken back');

    await made(first, '/v1/workspaces/own/grants', { subject: caller.subject, role: 'viewer' });
    await until(200, 'another grant');
    assert.equal((await first.request('/v1/workspaces/own', { method: 'DELETE' })).status, 204);
    await until(404, 'that the workspace is gone');
    const name = caller.token.split('_')[1];
    const token = `/v1/workspaces/${STAFF}/service-accounts/robot/tokens/${name}`;
    assert.equal((await first.request(token, { method: 'DELETE' })).status, 204);
    await until(401, 'that the token was revoked');

    const best = Math.min(...lately);
    t.diagnostic(`known after ${lately.map(Math.round).join(', ')} ms`);
    assert.ok(best < PROMISED_MS, `not once within ${PROMISED_MS} ms: ${lately.join()}`);
  });
});

/** How long it took for the other process to answer like this. */
async function waitFor(ask: () => Promise<number>, wanted: number, what: string): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const status = await ask();
    const passed = performance.now() - begun;
    if (status === wanted) return passed;
    assert.ok(passed < PATIENCE_MS, `${what} does not arrive: ${status}, not ${wanted}`);
  }
}
