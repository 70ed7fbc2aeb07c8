import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { eventually } from '../../../../kit/durable/testing/eventually.ts';
import { type ServingPlatform, servingPlatform } from '../../../platform/channels/testing/serving-platform.ts';
import { COMMANDS } from '../../commands.ts';
import { runCli } from '../../run-cli.ts';

async function adminToken(...args: readonly string[]) {
  const told = { out: '', err: '' };
  const io = {
    out: (said: string) => void (told.out += said),
    err: (said: string) => void (told.err += said),
    errIsTerminal: false,
    environment: {},
  };
  const code = await runCli(['admin-token', ...args], { commands: COMMANDS, io }, AbortSignal.timeout(PATIENCE_MS));
  return { code, ...told };
}

describe('fleetshift admin-token rotate', () => {
  let platform: ServingPlatform;
  before(async () => void (platform = await servingPlatform()));
  after(async () => await platform.stop());
  const tokenIn = () => readFileSync(join(platform.data, 'admin-token'), 'utf8').trim();
  const create = async (token: string, name: string) =>
    (await platform.callAs(token, 'POST', '/v1/workspaces', { name })).status;

  it('ends the old token of a platform that runs, and the audit tells both apart by their ids', async () => {
    const old = tokenIn();
    assert.equal(await create(old, 'before'), 201);
    const { code, out, err } = await adminToken('rotate', '--data', platform.data);
    assert.equal(code, 0, err);
    const fresh = tokenIn();
    assert.notEqual(fresh, old);
    assert.equal(statSync(join(platform.data, 'admin-token')).mode & 0o777, 0o600);
    const [, ended, begun] = /^token (admin-\w+) has ended; (admin-\w+) replaces it\n$/.exec(err) ?? [];
    assert.ok(ended !== undefined && begun !== undefined, err);
    for (const token of [old, fresh]) assert.ok(!`${out}${err}`.includes(token), 'a token is shown');

    await eventually('the new token to hold', async () => (await create(fresh, 'after')) === 201);
    assert.equal(await create(old, 'late'), 401);
    const tokens = await eventually('both to be in the audit', async () => {
      const path =
        '/v1/audit?filter=operation%20%3D%3D%20%22createWorkspace%22%20%26%26%20outcome%20%3D%3D%20%22done%22';
      const { body } = await platform.callAs(fresh, 'GET', path);
      const items = body['items'] as { token?: string; principal: { kind: string } }[];
      return items.length === 2 ? items.map(({ token }) => token) : undefined;
    });
    assert.deepEqual(new Set(tokens), new Set([ended, begun]));
  });

  for (const { why, args, says } of [
    {
      why: 'a folder without a token',
      args: ['rotate', '--data', '/nonexistent'],
      says: /no token in \/nonexistent\/admin-token/,
    },
    { why: 'another verb', args: ['show'], says: /missing action: one of rotate/ },
    { why: 'no verb', args: [], says: /missing action: one of rotate/ },
  ]) {
    it(`is refused for ${why}`, async () => {
      const { code, err } = await adminToken(...args);
      assert.equal(code, 2);
      assert.match(err, says);
    });
  }
});
