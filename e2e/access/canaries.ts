import assert from 'node:assert/strict';
import type { NamedSecrets } from '#testing/leaks';
import type { Platform } from '#testing/platform-process';
import { made, STAFF } from './callers.ts';

/** One value for each kind of secret the platform stores. None may appear in any answer, to any caller. */
export const CANARIES = {
  'data of a Secret': 'canary-secret-data-7f3a91',
  'data of a Secret in a list': 'canary-listed-data-7f3a92',
  'a marked field': 'canary-marked-field-7f3a93',
  'a marked value': 'canary-marked-value-7f3a94',
  'a marked config': 'canary-marked-config-7f3a95',
  'a Secret in a template text': 'canary-template-text-7f3a96',
  'a Secret of a group': 'canary-of-a-group-7f3a97',
  'a stored kubeconfig': 'canary-kubeconfig-7f3a98',
  'the client secret of an issuer': 'canary-client-secret-7f3a99',
  'a Secret that agents quote': 'canary-quoted-secret-7f3a9a',
  'a marked field that agents quote': 'canary-quoted-field-7f3a9b',
} as const satisfies NamedSecrets;

export const CANARY_CLUSTER = 'canary-cluster';

const ALL = [{ type: 'all' }];
export const secretOf = (canary: keyof typeof CANARIES) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data: { password: Buffer.from(CANARIES[canary]).toString('base64') },
});

/** Documents and config of a deployment, with the canaries inside. */
export const WITH_CANARIES = {
  documents: [
    { kind: 'Note', text: 'hello', key: { $secret: CANARIES['a marked field'] } },
    secretOf('data of a Secret'),
    { apiVersion: 'v1', kind: 'List', items: [secretOf('data of a Secret in a list')] },
  ],
  config: { token: { $secret: CANARIES['a marked config'] } },
} as const;

/** Creates deployments of the other manifest types, in a workspace with targets. */
export async function plantCanaries(platform: Platform, workspace: string): Promise<void> {
  const deployments = `/v1/workspaces/${workspace}/deployments`;
  const canary = CANARIES['a Secret in a template text'];
  const template = `apiVersion: v1\nkind: Secret\nmetadata: {name: t}\nstringData: {password: ${canary}}\n`;
  const values = { password: { $secret: CANARIES['a marked value'] } };
  await made(platform, deployments, {
    name: 'canary-text',
    manifest: { type: 'template', template, values },
    placement: ALL,
  });
  const manifest = { type: 'inline', documents: [secretOf('a Secret of a group')] };
  const child = { name: 'child', manifest, placement: ALL };
  const group = { type: 'deploymentGroup', deployments: [child] };
  await made(platform, deployments, { name: 'canary-group', manifest: group, placement: [{ type: 'local' }] });
}

/** Stores a kubeconfig for a cluster that does not exist, in the test's own workspace. */
export async function plantKubeconfig(platform: Platform): Promise<void> {
  await made(platform, '/v1/targets', { name: CANARY_CLUSTER, type: 'kubernetes', workspace: STAFF });
  const kubeconfig = JSON.stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: CANARIES['a stored kubeconfig'] } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
  const path = `/v1/targets/${CANARY_CLUSTER}/kubeconfig`;
  const answer = await platform.request(path, { method: 'PUT', body: { kubeconfig } });
  assert.equal(answer.status, 201, await answer.text());
}
