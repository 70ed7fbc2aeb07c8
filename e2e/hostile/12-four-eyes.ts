import assert from 'node:assert/strict';
import type { Platform } from '#testing/platform-process';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { ask, made } from '../access/callers.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';
import { knownPersons } from './persons.ts';

const APP = '/v1/workspaces/shop/deployments/app';
const GATES = [{ type: 'approval', requireDistinctApprover: true }];
const STAGED = { type: 'staged', stages: [{ name: 'all', selector: {}, beforeTasks: GATES }] };
const content = (text: string) => ({ type: 'inline', documents: [{ kind: 'Note', text }] });

/** With the package from before the fix, the attacker succeeded within the first few rounds. */
const ROUNDS = 8;

interface Rollout {
  readonly revision: number;
  readonly waits?: readonly { readonly kind: string }[];
}

interface Waiting {
  readonly uid: string;
  readonly revision: number;
  readonly state: string;
}

/** bob changes a setting and mallory the content right after: one plan, of which only the first author counted. */
export const approvesOwnContent: Attack = {
  finding: 12,
  name: 'a deployer approves content of their own behind the change of another',
  run: (stage) =>
    inShop(stage, async ({ platform, bob, mallory, carol }) => {
      await made(platform, '/v1/workspaces/shop/deployments', {
        name: 'app',
        manifest: content('good'),
        placement: [{ type: 'all' }],
        rollout: STAGED,
      });
      await approvedBy(platform, carol, await waiting(platform, 1));
      for (let round = 1; round <= ROUNDS; round += 1) {
        // Sent at the same time, so that both land in one plan. Which change comes first is random, hence the rounds.
        await Promise.all([
          changed(platform, bob, { config: { round } }),
          changed(platform, mallory, { manifest: content(`evil ${round}`) }),
        ]);
        const open = await eventually('the change to wait for an approval', () => openForAll(platform));
        const given = await answer(platform, mallory, open);
        await given.text();
        if (given.status === 200) return succeeded(`mallory approved revision ${open.revision} with content of hers`);
        // Closed meanwhile: the second change came after the first, and has an approval of its own.
        if (given.status !== 403) continue;
        await approvedBy(platform, carol, open);
      }
      return heldOff(`in ${ROUNDS} rounds mallory never approved content of hers, and carol did`);
    }),
};

/** The gate is part of the deployment, so the patch that changes the content can remove it too. */
export const removesTheGate: Attack = {
  finding: 12,
  name: 'a deployer removes the approval gate together with the change that it should hold',
  run: (stage) =>
    inShop(stage, async ({ platform, mallory }) => {
      // Administrators require gates where a workspace can; otherwise the deployment's own gate is all there is.
      const policy = { policy: { requiredGates: GATES } };
      const demanded = await platform.request('/v1/workspaces/shop', { method: 'PATCH', body: policy });
      assert.ok(demanded.status === 200 || demanded.status === 400, await demanded.text());
      await made(platform, '/v1/workspaces/shop/deployments', {
        name: 'app',
        manifest: content('good'),
        placement: [{ type: 'all' }],
        rollout: STAGED,
      });
      const first = await waiting(platform, 1);
      await changed(platform, mallory, { manifest: content('evil'), rollout: { type: 'immediate' } });
      const outcome = await eventually('the change to be planned', async () => {
        const open = (await approvals(platform)).find((each) => !isClosed(each) && each.revision > first.revision);
        if (open !== undefined) return { kind: 'waits', open } as const;
        const { status } = (await (await platform.request(APP)).json()) as { status: { rollout?: Rollout } };
        const { revision = 0, waits = [] } = status.rollout ?? {};
        // The target is disconnected: a rollout that waits only for the target has passed all gates.
        const isThrough =
          revision > first.revision && waits.some(({ kind }) => kind === 'offline' || kind === 'targets');
        return isThrough ? ({ kind: 'sent' } as const) : undefined;
      });
      if (outcome.kind === 'sent') return succeeded('the change went out, and no one was asked');
      const own = await answer(platform, mallory, outcome.open);
      if (own.status === 200) return succeeded('mallory approved it herself');
      return heldOff(`revision ${outcome.open.revision} waits for a second person, mallory gets ${own.status}`);
    }),
};

interface Shop {
  readonly platform: Platform;
  readonly bob: string;
  readonly mallory: string;
  readonly carol: string;
}

async function inShop<T>({ home }: Stage, body: (shop: Shop) => Promise<T>): Promise<T> {
  const platform = await home.start();
  const persons = await knownPersons(platform);
  try {
    await made(platform, '/v1/workspaces', { name: 'shop' });
    await made(platform, '/v1/targets', { name: 'prod-1', type: 'directory', workspace: 'shop' });
    const roles = { bob: ['deployer'], mallory: ['deployer', 'approver'], carol: ['approver'] };
    for (const [id, given] of Object.entries(roles)) {
      const subject = { kind: 'user', id };
      for (const role of given) await made(platform, '/v1/workspaces/shop/grants', { subject, role });
    }
    const [bob, mallory, carol] = await Promise.all(['bob', 'mallory', 'carol'].map((user) => persons.tokenOf(user)));
    assert.ok(bob !== undefined && mallory !== undefined && carol !== undefined);
    return await body({ platform, bob, mallory, carol });
  } finally {
    persons.close();
  }
}

const isClosed = ({ state }: Waiting): boolean => state !== 'Open';

async function approvals(platform: Platform): Promise<readonly Waiting[]> {
  const answered = await platform.request('/v1/workspaces/shop/approvals');
  return ((await answered.json()) as { items: Waiting[] }).items;
}

/** The approval that the newest generation waits for, once it is fully planned. */
async function openForAll(platform: Platform): Promise<Waiting | undefined> {
  const { generation, observedGeneration } = (await (await platform.request(APP)).json()) as {
    generation: number;
    observedGeneration?: number;
  };
  if (observedGeneration !== generation) return undefined;
  return (await approvals(platform)).findLast((each) => !isClosed(each));
}

async function approvedBy(platform: Platform, token: string, open: Waiting): Promise<void> {
  const agreed = await answer(platform, token, open);
  assert.equal(agreed.status, 200, await agreed.text());
  await eventually('the approval to be closed', async () => (await approvals(platform)).every(isClosed));
}

async function waiting(platform: Platform, revision: number): Promise<Waiting> {
  return await eventually(`revision ${revision} to wait for an approval`, async () =>
    (await approvals(platform)).find((each) => each.state === 'Open' && each.revision === revision),
  );
}

function answer(platform: Platform, token: string, { uid }: Waiting): Promise<Response> {
  return ask(platform, token, `/v1/workspaces/shop/approvals/${uid}:approve`, { method: 'POST', body: {} });
}

async function changed(platform: Platform, token: string, body: object): Promise<void> {
  const done = await ask(platform, token, APP, { method: 'PATCH', body });
  assert.equal(done.status, 200, await done.text());
}
