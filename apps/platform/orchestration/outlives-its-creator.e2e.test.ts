import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Platform, platformHome } from '#testing/platform-process';
import { eventually } from '../../../kit/durable/testing/eventually.ts';

const WORKSPACE = '/v1/workspaces/demo';
/** Waits for an approval after its first target. */
const ROLLOUT = {
  type: 'staged',
  stages: [{ name: 'first', selector: { matchLabels: { env: 'dev' } }, afterTasks: [{ type: 'approval' }] }],
};

interface Shown {
  readonly revision: number;
  readonly reconciling: boolean;
  readonly status: {
    readonly counts: { readonly placed: number; readonly available: number };
    readonly rollout?: { readonly outcome?: string; readonly waits: readonly { readonly kind: string }[] };
  };
}

async function asked(platform: Platform, what: string, body?: object, token = platform.token): Promise<unknown> {
  const [method = '', path = ''] = what.split(' ');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await platform.request(path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await answer.text();
  assert.ok(answer.ok, `${what}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** A service account that may deploy, with its token and grant. */
async function deployer(platform: Platform, name: string): Promise<{ token: string; grant: string }> {
  const accounts = `${WORKSPACE}/service-accounts`;
  await asked(platform, `POST ${accounts}`, { name });
  const subject = { kind: 'serviceAccount', id: `demo/${name}` };
  const granted = (await asked(platform, `POST ${WORKSPACE}/grants`, { subject, role: 'deployer' })) as {
    name: string;
  };
  const { token } = (await asked(platform, `POST ${accounts}/${name}/tokens`, {})) as { token: string };
  return { token, grant: `${WORKSPACE}/grants/${granted.name}` };
}

test('a deployment outlives its creator: the rollout goes on, and so does what later triggers ask for', async (t) => {
  const home = await platformHome('sqlite');
  t.after(() => home.dispose());
  const platform = await home.start({ flags: ['--demo-fleet', '2'] });
  const until = async (name: string, what: string, is: (deployment: Shown) => boolean): Promise<void> => {
    const path = `GET ${WORKSPACE}/deployments/${name}`;
    await eventually(`${name}: ${what}`, async () => is((await asked(platform, path)) as Shown));
  };
  const hasIt = (count: number) => (deployment: Shown) =>
    deployment.status.rollout?.outcome === 'Succeeded' && deployment.status.counts.available === count;
  const hello = async () => (await platform.request(`${WORKSPACE}/deployments/hello`)).status === 200;
  await eventually('the demo is there', hello);

  const deleted = await deployer(platform, 'deleted');
  const revoked = await deployer(platform, 'revoked');
  for (const [name, { token }] of Object.entries({ deleted, revoked })) {
    const manifest = { type: 'inline', documents: [{ kind: 'Note', text: name }] };
    const body = { name, manifest, placement: [{ type: 'all' }], rollout: ROLLOUT };
    await asked(platform, `POST ${WORKSPACE}/deployments`, body, token);
  }
  const isAtGate = ({ status }: Shown) => status.rollout?.waits.some(({ kind }) => kind === 'gate') === true;
  for (const name of ['deleted', 'revoked']) await until(name, 'waits at its gate', isAtGate);

  await asked(platform, `DELETE ${WORKSPACE}/service-accounts/deleted`);
  await asked(platform, `DELETE ${revoked.grant}`);
  for (const { token } of [deleted, revoked]) {
    const answer = await platform.request(WORKSPACE, { headers: { authorization: `Bearer ${token}` } });
    assert.ok([401, 404].includes(answer.status), 'he is nobody here any more');
  }

  for (const name of ['deleted', 'revoked']) {
    await asked(platform, `POST ${WORKSPACE}/deployments/${name}:approve`, {});
    await until(name, 'is on both', hasIt(2));
  }
  await asked(platform, 'POST /v1/targets', { name: 'third', type: 'simulated', workspace: 'demo' });
  for (const name of ['deleted', 'revoked']) {
    await until(name, 'is on the one that came later', hasIt(3));
    const { trigger } = (await asked(platform, `GET ${WORKSPACE}/deployments/${name}/revisions/2`)) as {
      trigger: string;
    };
    assert.equal(trigger, 'targets came, left or changed');
  }
});
