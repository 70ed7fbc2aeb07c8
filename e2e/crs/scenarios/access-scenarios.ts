import { CORE, type KubeObject } from '#kit/kube';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

/** How clusters are reached, and what happens when that changes. */
export const ACCESS_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a kubeconfig is rotated',
    why: 'the old credentials are revoked, and nobody has to start anything again',
    slow: true,
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first', { turn: 'one' }));
      await stage.cluster('one', { kubeconfig: await accountConfig(stage, 'old') });
      await stage.set('web', { resources: [settings], strategy: 'Reconcile' });
      await stage.reaches('applied', (seen) => seen.isApplied('one', 'web') && seen.isObserved('web'));
      const renewed = Buffer.from(await accountConfig(stage, 'new')).toString('base64');
      await stage.change(CORE.secrets, 'one-kubeconfig', { data: { value: renewed } });
      await revoke(stage, 'old');
      const before = stage.seen().entry('one', 'web', settings)?.hash;
      await stage.rewrite(settings, stage.manifest('first', { turn: 'two' }));
      await stage.reaches('rotated', (seen) => {
        const entry = seen.entry('one', 'web', settings);
        return entry?.applied === true && entry.hash !== before && seen.condition('web')?.status === 'True';
      });
    },
  },
  {
    name: 'a kubeconfig comes late',
    why: 'what could not be reached is reached as soon as it is known how',
    slow: true,
    play: async (stage) => {
      const settings = await stage.configMap('settings', stage.manifest('first'));
      await stage.cluster('one', { kubeconfig: null });
      await stage.set('web', { resources: [settings] });
      await stage.reaches('unreachable', (seen) => seen.condition('web')?.status === 'False');
      await stage.kubeconfig('one', stage.workload('a').cluster.kubeconfig());
      await stage.reaches(
        'reached',
        (seen) => seen.isApplied('one', 'web') && seen.condition('web')?.status === 'True',
      );
    },
  },
];

/** A kubeconfig with the token of a new service account, which may do everything. */
async function accountConfig(stage: Stage, name: string): Promise<string> {
  const { client, cluster } = stage.workload('a');
  const { workloadNamespace: namespace, signal } = stage;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  await client.create({ resource: CORE.serviceAccounts, namespace }, account, {}, signal);
  const binding: KubeObject & { roleRef: object; subjects: readonly object[] } = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `${namespace}-${name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  await client.create({ resource: CORE.clusterRoleBindings }, binding, {}, signal);
  const { status } = await client.request<{ readonly status: { readonly token: string } }>(
    {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } },
    },
    signal,
  );
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'it', cluster: { server: cluster.server, 'certificate-authority-data': base64(cluster.ca) } }],
    users: [{ name: 'it', user: { token: status.token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
    'current-context': 'it',
  });
}

/** Deletes the account, which invalidates its token. */
async function revoke(stage: Stage, name: string): Promise<void> {
  const ref = { resource: CORE.serviceAccounts, namespace: stage.workloadNamespace, name };
  await stage.workload('a').client.delete(ref, {}, stage.signal);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
