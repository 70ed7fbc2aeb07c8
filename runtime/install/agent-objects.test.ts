import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AgentInstall, InstalledObject } from './agent-install.ts';
import { agentObjects } from './agent-objects.ts';
import { anInstall } from './testing/installs.ts';
import { upgradeDocuments } from './upgrade-documents.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The test is about its shape. */
function named(objects: readonly InstalledObject[], kind: string, name: string) {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  return JSON.parse(JSON.stringify(found));
}

const rulesOf = (objects: readonly InstalledObject[]): readonly (Rule & { readonly role: string })[] =>
  objects.flatMap((object) => {
    const rules = (object['rules'] ?? []) as readonly Rule[];
    return rules.map((rule) => ({ ...rule, role: `${object.kind}/${object.metadata.name}` }));
  });

/** Cluster roles that are bound. */
const boundTo = (objects: readonly InstalledObject[]): ReadonlySet<string> =>
  new Set(objects.flatMap(({ roleRef }) => (roleRef === undefined ? [] : [(roleRef as { name: string }).name])));

suite('what the agent may do', () => {
  const modes: readonly Partial<AgentInstall>[] = [
    { rbac: 'restricted' },
    { rbac: 'namespaced', namespaces: ['shop'] },
    { rbac: 'restricted', allow: [{ group: '', resource: 'configmaps' }] },
    { rbac: 'restricted', apiProxy: true, namespaces: ['shop'] },
    { rbac: 'namespaced', apiProxy: true, namespaces: ['shop'] },
  ];
  for (const changes of modes) {
    test(`is nothing that was not asked for: ${JSON.stringify(changes)}`, () => {
      const objects = agentObjects(anInstall(changes));
      assert.equal(boundTo(objects).has('cluster-admin'), false);
      for (const { role, verbs, resources, apiGroups } of rulesOf(objects)) {
        for (const word of [...verbs, ...resources, ...apiGroups]) assert.notEqual(word, '*', role);
        for (const verb of ['bind', 'escalate']) assert.equal(verbs.includes(verb), false, `${role} may ${verb}`);
      }
    });
  }

  test('is to act for one user and the groups of roles, by their names', () => {
    for (const rbac of ['restricted', 'namespaced'] as const) {
      const objects = agentObjects(anInstall({ rbac, apiProxy: true, namespaces: ['shop'] }));
      const rules = rulesOf(objects).filter(({ verbs }) => verbs.includes('impersonate'));
      assert.deepEqual(
        rules.map(({ resources, resourceNames }) => [resources, resourceNames]),
        [
          [['users'], ['fleetshift:caller']],
          [['groups'], ['fleetshift:role:viewer', 'fleetshift:role:deployer', 'fleetshift:role:admin']],
          [['userextras/fleetshift.io/user'], undefined],
        ],
      );
    }
  });

  test('is to act for persons who were named, beside that user', () => {
    const install = anInstall({ apiProxy: true, namespaces: ['shop'], apiProxyUsers: ['user:alice'] });
    const users = rulesOf(agentObjects(install)).find(({ resources }) => resources.includes('users'));
    assert.deepEqual(users?.resourceNames, ['fleetshift:caller', 'fleetshift:user:alice']);
    const { data } = named(agentObjects(install), 'ConfigMap', 'fleetshift-agent');
    assert.equal(data.FLEETSHIFT_API_PROXY_USERS, 'user:alice');
  });

  test('lets users who deploy act in the namespaces that were named, and in no other', () => {
    for (const rbac of ['restricted', 'namespaced'] as const) {
      const objects = agentObjects(anInstall({ rbac, apiProxy: true, namespaces: ['shop', 'web'] }));
      const bindings = objects.filter(({ metadata }) => /^fleetshift-(deployer|admin)$/.test(metadata.name));
      assert.deepEqual(
        bindings.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`),
        ['shop', 'web'].flatMap((each) => [
          `RoleBinding ${each}/fleetshift-deployer`,
          `RoleBinding ${each}/fleetshift-admin`,
        ]),
      );
    }
  });

  test('is to act for nobody where users have no way to the API', () => {
    const rules = rulesOf(agentObjects(anInstall()));
    assert.equal(
      rules.some(({ verbs }) => verbs.includes('impersonate')),
      false,
    );
  });

  test('is nothing beyond its namespaces when it is kept to some, but to look', () => {
    const objects = agentObjects(anInstall({ rbac: 'namespaced', apiProxy: true, namespaces: ['shop', 'web'] }));
    const clusterWide = objects.filter(({ kind }) => kind === 'ClusterRoleBinding');
    assert.deepEqual([...boundTo(clusterWide)].toSorted(), [
      'fleetshift-agent-impersonate',
      'fleetshift-agent-read',
      'view',
    ]);
    const there = objects.filter(({ metadata }) => metadata.name === 'fleetshift-agent-deliver' && metadata.namespace);
    assert.deepEqual(
      there.map(({ metadata }) => metadata.namespace),
      ['shop', 'web'],
    );
  });

  test('is to read Secrets of its own namespace, unless it delivers Secrets', () => {
    const objects = agentObjects(anInstall({ allow: [{ group: '', resource: 'configmaps' }] }));
    const roles = rulesOf(objects).filter(({ resources }) => resources.includes('secrets'));
    assert.deepEqual(
      roles.map(({ role }) => role),
      ['Role/fleetshift-agent'],
    );
  });

  test('is everything when that was asked for', () => {
    assert.ok(boundTo(agentObjects(anInstall({ rbac: 'cluster-admin' }))).has('cluster-admin'));
  });

  test('grows by roles of others that have the label', () => {
    const { aggregationRule } = named(agentObjects(anInstall()), 'ClusterRole', 'fleetshift-agent-deliver');
    assert.deepEqual(aggregationRule.clusterRoleSelectors, [
      { matchLabels: { 'fleetshift.io/aggregate-to-agent': 'true' } },
    ]);
  });
});

suite('the process of the agent', () => {
  const objects = agentObjects(anInstall());
  const { spec } = named(objects, 'Deployment', 'fleetshift-agent');
  const pod = spec.template.spec;
  const [container] = pod.containers;

  test('is let into a namespace that is kept restricted', () => {
    const { labels } = named(objects, 'Namespace', 'fleetshift-system').metadata;
    assert.equal(labels['pod-security.kubernetes.io/enforce'], 'restricted');
    assert.partialDeepStrictEqual(pod.securityContext, {
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('has no secret in its definition', () => {
    assert.equal(JSON.stringify(spec).includes('fsb_'), false);
  });

  test('is there until its successor is', () => {
    assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
  });

  test('is restarted by a change of what it reads at its start, and by no other', () => {
    const hashOf = (changes: Partial<AgentInstall>): unknown => {
      const deployment = named(agentObjects(anInstall(changes)), 'Deployment', 'fleetshift-agent');
      return deployment.spec.template.metadata.annotations['fleetshift.io/settings'];
    };
    const changes = [
      { platform: 'https://other' },
      { target: 'other' },
      { authority: 'PEM' },
      { apiProxyUsers: ['a'] },
    ];
    const all = [{}, ...changes, { rbac: 'cluster-admin' } as const].map(hashOf);
    assert.equal(new Set(all).size, all.length);
    assert.equal(hashOf({ token: 'fsb_x_y', namespaces: ['shop'] }), hashOf({}), 'a token is needed once');
  });
});

suite('an upgrade', () => {
  const documents = upgradeDocuments({ namespace: 'fleetshift-system', image: 'fleetshift:2' });

  test('is of the image alone: no right, no secret, nothing of one cluster', () => {
    assert.deepEqual(
      documents.map((each) => (each as InstalledObject).kind),
      ['DeliveryPolicy', 'Deployment'],
    );
    for (const word of ['fsb_', 'eu-1', 'https://', 'fleetshift.io/settings', 'args', 'env', 'serviceAccount']) {
      assert.equal(JSON.stringify(documents).includes(word), false, word);
    }
  });

  test('says of the image what an install of it says', () => {
    const [, deployment] = documents as readonly InstalledObject[];
    const installed = named(agentObjects(anInstall({ image: 'fleetshift:2' })), 'Deployment', 'fleetshift-agent');
    assert.partialDeepStrictEqual(installed, deployment);
  });
});
