import assert from 'node:assert/strict';
import { addCaller, ask, made } from '../access/callers.ts';
import { type Attack, heldOff, succeeded } from './attack.ts';

const WISH = { name: 'till', parent: 'shop', displayName: 'Till of the shop' };
const REPEATED = { method: 'POST', body: WISH, headers: { 'idempotency-key': 'deploy-42' } };

export const replayedAnswer: Attack = {
  finding: 22,
  name: 'a narrowed token repeats the request of a wide one, and is given its answer',
  run: async ({ home }) => {
    const platform = await home.start();
    for (const name of ['staff', 'shop', 'other']) await made(platform, '/v1/workspaces', { name });
    const given = [
      { role: 'admin', on: 'workspaces/shop' },
      { role: 'admin', on: 'workspaces/other' },
    ] as const;
    const wide = await addCaller(platform, { name: 'ci', given });
    const narrow = await made(platform, '/v1/workspaces/staff/service-accounts/ci/tokens', {
      scope: { within: 'workspaces/other' },
    });
    const token = String(narrow['token']);
    const done = await ask(platform, wide.token, '/v1/workspaces', REPEATED);
    assert.equal(done.status, 201, await done.text());
    const unseen = await ask(platform, token, '/v1/workspaces/till');
    assert.equal(unseen.status, 404, `the narrowed token sees the workspace: ${await unseen.text()}`);

    const replayed = await ask(platform, token, '/v1/workspaces', REPEATED);
    const text = await replayed.text();
    return text.includes(WISH.displayName)
      ? succeeded(`the narrowed token gets ${replayed.status} with the workspace that it may not see`)
      : heldOff(`the narrowed token gets ${replayed.status}`);
  },
};
