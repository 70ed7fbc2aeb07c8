import assert from 'node:assert/strict';
import { deploy, eventually, manifestOf, NAMESPACE, pathOf, type Stage, TARGET } from './installed-cluster.ts';

/** A deployer cannot get the identity of the agent with a Pod next to it. */
export async function keepsItsNamespace(stage: Stage): Promise<void> {
  const metadata = { name: 'thief', namespace: NAMESPACE };
  const volumes = [{ name: 'x', secret: { secretName: 'fleetshift-agent-identity' } }];
  const spec = { volumes, containers: [{ name: 'x', image: 'x' }] };
  await deploy(stage, 'thief', [{ apiVersion: 'v1', kind: 'Pod', metadata, spec }]);
  await eventually(
    'the Pod is rejected',
    () => stage.get<object>(`${pathOf('thief')}/targets`),
    (targets) => /nothing is delivered to the namespace of the agent/.test(JSON.stringify(targets)),
  );
  assert.equal(await stage.kubectl(['-n', NAMESPACE, 'get', 'pod', 'thief', '--ignore-not-found']), '');
}

interface Review {
  readonly status: {
    readonly userInfo: { readonly username: string; readonly extra?: Readonly<Record<string, unknown>> };
  };
}

/** Callers through the platform have no rights until they are enabled, and then only in the given namespaces. */
export async function letsUsersThrough(stage: Stage): Promise<void> {
  const { platform, kubectl } = stage;
  const api = (path: string, body?: object) =>
    platform.request(`/targets/${TARGET}/api${path}`, body === undefined ? {} : { method: 'POST', body });
  const closed = await api('/api/v1/namespaces/shop/configmaps');
  assert.equal(closed.status, 403, 'unless asked for');
  await kubectl(['apply', '-f', '-'], await manifestOf(stage, '--no-token', '--api-proxy', '--namespaces', 'shop'));
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const seen = await eventually(
    'the agent names a caller',
    async () => await (await api('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)).text(),
    (answer) => answer.includes('userInfo'),
  );
  const { userInfo } = (JSON.parse(seen) as Review).status;
  assert.equal(userInfo.username, 'fleetshift:caller');
  assert.match(String(userInfo.extra?.['fleetshift.io/user']), /^fleetshift:admin:/);
  assert.equal((await api('/api/v1/namespaces/shop/secrets')).status, 200);
  for (const path of [`/api/v1/namespaces/${NAMESPACE}/secrets`, '/api/v1/secrets', '/api/v1/nodes']) {
    assert.equal((await api(path)).status, 403, path);
  }
}
