import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DATABASES } from '#testing/databases';
import type { Platform } from '#testing/platform-process';
import { SIMULATED } from '#testing/product';
import { runCommand } from '../apps/cli/testing/processes.ts';
import { eventually } from '../kit/durable/testing/eventually.ts';
import { homeFor } from './home-for.ts';

const WEB = '/v1/workspaces/shop/deployments/web';

interface Problem {
  readonly code: string;
  readonly inTheWay?: unknown;
}

interface Placed {
  readonly target: string;
  readonly uid: string;
  readonly online: boolean;
}

interface Deployment {
  readonly reconciling: boolean;
  readonly status: {
    readonly counts: { readonly placed: number; readonly available: number };
    readonly rollout?: { readonly outcome?: string };
  };
}

for (const engine of DATABASES) {
  test(`a target with deployments is deleted only when asked twice, and leaves no ghost, on ${engine}`, async (t) => {
    const home = await homeFor(t, engine);
    const platform = await home.start({ program: pathToFileURL(SIMULATED) });
    const ask = asking(platform);
    await ask('POST', '/v1/workspaces', { name: 'shop' });
    await ask('POST', '/v1/targets', { name: 'one', type: 'simulated', workspace: 'shop' });
    // No agent serves it: rollouts wait for it.
    await ask('POST', '/v1/targets', { name: 'dark', type: 'directory', workspace: 'shop' });
    const rollout = { type: 'rolling', batchSize: 1, onCollision: 'queue' };
    const draft = { manifest: noteOf('first'), placement: [{ type: 'all' }], rollout };
    await ask('POST', '/v1/workspaces/shop/deployments', { name: 'web', ...draft });
    await eventually('both to be placed', async () => (await placed(ask)).length === 2);

    const kept = await platform.request('/v1/targets/dark', { method: 'DELETE' });
    const { code, inTheWay } = (await kept.json()) as Problem;
    assert.deepEqual([kept.status, code], [409, 'targetInUse']);
    assert.deepEqual(inTheWay, [{ kind: 'deployment', count: 1, names: ['shop/web'] }]);
    const line = ['delete', 'target', 'dark', '--server', platform.url, '--data', home.data];
    const unasked = await runCommand(line);
    assert.notEqual(unasked.code, 0);
    assert.match(unasked.err, /1 deployment \(shop\/web\).*add --yes/s);
    await ask('GET', '/v1/targets/dark');

    const agreed = await runCommand([...line, '--yes']);
    assert.equal(agreed.code, 0, agreed.err);
    await eventually('the rollout to end without it', () => isSettled(ask, 1));

    // Another target under the name of one that was in the middle of it.
    const [before] = await placed(ask);
    await ask('DELETE', '/v1/targets/one?force=true');
    await ask('POST', '/v1/targets', { name: 'one', type: 'simulated', workspace: 'shop' });
    await ask('PATCH', WEB, { manifest: noteOf('second') });
    await eventually('the rollout to reach the new target', async () => {
      const [only, ...others] = await placed(ask);
      return others.length === 0 && only?.uid !== before?.uid && only?.online === true && (await isSettled(ask, 1));
    });
  });
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>;

function asking(platform: Platform): Ask {
  return async (method, path, body) => {
    const answer = await platform.request(path, { method, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

function noteOf(text: string): object {
  return { type: 'inline', documents: [{ kind: 'Note', text }] };
}

async function placed(ask: Ask): Promise<readonly Placed[]> {
  return ((await ask('GET', `${WEB}/targets`)) as { readonly items: readonly Placed[] }).items;
}

async function isSettled(ask: Ask, count: number): Promise<boolean> {
  const { reconciling, status } = (await ask('GET', WEB)) as Deployment;
  const { counts, rollout } = status;
  return !reconciling && rollout?.outcome === 'Succeeded' && counts.placed === count && counts.available === count;
}
