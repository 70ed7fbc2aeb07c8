import assert from 'node:assert/strict';
import { addCaller, ask, made } from '../access/callers.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';

/** Moves the workspace out of reach of the administrators above it and of their policies. */
export const movesWorkspaceOut: Attack = {
  finding: 13,
  name: 'an administrator of a workspace moves it out of its parent',
  run: async ({ home }) => {
    const platform = await home.start();
    for (const [name, parent] of [
      ['org', 'root'],
      ['team', 'org'],
      ['mine', 'root'],
      ['staff', 'root'],
    ] as const) {
      await made(platform, '/v1/workspaces', { name, parent });
    }
    await made(platform, '/v1/targets', { name: 'prod-1', type: 'directory', workspace: 'team' });
    const given = [
      { role: 'admin', on: 'workspaces/team' },
      { role: 'admin', on: 'workspaces/mine' },
    ] as const;
    const { token } = await addCaller(platform, { name: 'mallory', given });
    const owner = await addCaller(platform, { name: 'owner', given: [{ role: 'admin', on: 'workspaces/org' }] });
    const mover = await addCaller(platform, {
      name: 'mover',
      given: [{ role: 'admin', on: 'targets/prod-1' }, ...given.slice(1)],
    });
    const target = await ask(platform, mover.token, '/v1/targets/prod-1:assign', {
      method: 'POST',
      body: { workspace: 'mine' },
    });
    const moved = await ask(platform, token, '/v1/workspaces/team:move', { method: 'POST', body: { parent: 'mine' } });
    const seen = await ask(platform, owner.token, '/v1/workspaces/team');
    if (moved.status === 200 && seen.status === 404) {
      return succeeded(`team is in mine now; the administrator of org gets ${seen.status}`);
    }
    if (target.status === 200) return succeeded('the target left its workspace without its consent');
    assert.deepEqual([seen.status, moved.status, target.status], [200, 403, 403]);
    const fair = await ask(platform, owner.token, '/v1/workspaces/team:move', {
      method: 'POST',
      body: { parent: 'root' },
    });
    assert.ok(fair.status !== 500, await fair.text());
    return heldOff('the move and the assignment are 403, and both stay where they are');
  },
};
