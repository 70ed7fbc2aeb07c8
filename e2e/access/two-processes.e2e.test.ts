import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DATABASES } from '#testing/databases';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { homeFor } from '../home-for.ts';
import { addCaller, ask, made, STAFF } from './callers.ts';

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
    const until = async (status: number, what: string): Promise<boolean> =>
      await eventually(`${what} to arrive`, async () => (await asSecond()) === status);

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
  });
});
