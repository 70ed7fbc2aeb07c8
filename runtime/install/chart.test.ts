import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { helmUnavailable } from '#testing/helm';
import packageJson from '../../package.json' with { type: 'json' };
import { type AgentInstall, IDENTITY_SECRET, type InstalledObject, LABELS } from './agent-install.ts';
import { agentObjects } from './agent-objects.ts';
import { chartValuesTable } from './testing/chart-values-table.ts';
import { anInstall } from './testing/installs.ts';
import { CHART, chartValues, renderChart } from './testing/render-chart.ts';

const AUTHORITY = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const INSTALLS: readonly { readonly why: string; readonly changes: Partial<AgentInstall> }[] = [
  { why: 'as it is meant to be', changes: {} },
  { why: 'of clusters that name themselves', changes: { target: undefined } },
  { why: 'with a token that somebody else puts there', changes: { token: undefined } },
  { why: 'of a platform with an authority of its own', changes: { authority: AUTHORITY } },
  { why: 'of a platform on the same machine', changes: { platform: 'http://127.0.0.1:8700' } },
  { why: 'in a namespace and with an image of a private place', changes: { namespace: 'ops', image: 'r:5000/a/b:v2' } },
  {
    why: 'for some kinds only',
    changes: {
      allow: [
        { group: '', resource: 'configmaps' },
        { group: 'apps', resource: 'deployments' },
        { group: 'cert-manager.io', resource: '*' },
      ],
    },
  },
  { why: 'by digest', changes: { image: `r:5000/a/b@sha256:${'0'.repeat(64)}` } },
  { why: 'for some namespaces only', changes: { rbac: 'namespaced', namespaces: ['shop', 'web'] } },
  { why: 'for everything', changes: { rbac: 'cluster-admin' } },
  { why: 'that Pods can connect to', changes: { networkPolicy: false } },
  { why: 'with a way for users to its API', changes: { apiProxy: true, namespaces: ['shop', 'web'] } },
  {
    why: 'for some namespaces, with a way for users there',
    changes: { rbac: 'namespaced', apiProxy: true, namespaces: ['shop', 'web'] },
  },
  { why: 'for everything, with a way for users', changes: { rbac: 'cluster-admin', apiProxy: true } },
  {
    why: 'with persons of their own right',
    changes: {
      apiProxy: true,
      namespaces: ['shop'],
      apiProxyUsers: ['user:alice@example.com', 'serviceAccount:shop/ci'],
    },
  },
];

describe('the chart', { skip: helmUnavailable() }, () => {
  for (const { why, changes } of INSTALLS) {
    it(`makes the objects of the manifest: an install ${why}`, async () => {
      const install = anInstall(changes);
      const rendered = await renderChart(chartValues(install), install.namespace);
      // Helm creates the namespace itself.
      const wanted = agentObjects(install).filter(({ kind }) => kind !== 'Namespace');
      assert.deepEqual(byKey(rendered), byKey([...wanted, emptyIdentity(install.namespace)]));
    });
  }

  it('makes those of the defaults when only what has none is said', async () => {
    const { platform } = anInstall();
    const rendered = await renderChart({ platform: { url: platform } }, 'fleetshift-system');
    const install = anInstall({ target: undefined, token: undefined, image: `fleetshift:${packageJson.version}` });
    const wanted = agentObjects(install).filter(({ kind }) => kind !== 'Namespace');
    assert.deepEqual(byKey(rendered), byKey([...wanted, emptyIdentity(install.namespace)]));
  });

  for (const { why, values } of [
    { why: 'no platform', values: {} },
    { why: 'a value that does not exist', values: { platform: { url: 'https://x' }, rbac: { moode: 'restricted' } } },
    {
      why: 'namespaced, without a namespace',
      values: { platform: { url: 'https://x' }, rbac: { mode: 'namespaced' } },
    },
    {
      why: 'restricted, with an API proxy and without a namespace',
      values: { platform: { url: 'https://x' }, apiProxy: { enabled: true } },
    },
    {
      why: 'restricted, with namespaces and without an API proxy',
      values: { platform: { url: 'https://x' }, rbac: { namespaces: ['shop'] } },
    },
    {
      why: 'cluster-admin, with namespaces',
      values: { platform: { url: 'https://x' }, rbac: { mode: 'cluster-admin', namespaces: ['shop'] } },
    },
    {
      why: 'users without an API proxy',
      values: { platform: { url: 'https://x' }, apiProxy: { users: ['user:alice'] } },
    },
    {
      why: 'a user that is not of the platform',
      values: {
        platform: { url: 'https://x' },
        rbac: { namespaces: ['shop'] },
        apiProxy: { enabled: true, users: ['system:admin'] },
      },
    },
    { why: 'a token that is none', values: { platform: { url: 'https://x' }, bootstrapToken: 'hunter2' } },
  ]) {
    it(`is refused by its schema: ${why}`, async () => {
      await assert.rejects(renderChart(values, 'x'), /values don't meet the specifications/);
    });
  }

  it('is refused with the namespace of the agent among those of users', async () => {
    const values = chartValues(anInstall({ apiProxy: true, namespaces: ['shop', 'ops'] }));
    await assert.rejects(renderChart(values, 'ops'), /namespace of the agent is reserved for the agent/);
  });

  it('lets in those who read metrics', async () => {
    const metricsFrom = [{ namespaceSelector: { matchLabels: { team: 'watch' } } }];
    const values = { platform: { url: 'https://x' }, networkPolicy: { metricsFrom } };
    const policy = (await renderChart(values, 'ops')).find(({ kind }) => kind === 'NetworkPolicy');
    assert.partialDeepStrictEqual(policy, {
      spec: { policyTypes: ['Ingress'], ingress: [{ from: metricsFrom, ports: [{ port: 'metrics' }] }] },
    });
  });
});

describe('the files of the chart', () => {
  it('have the version of the program', async () => {
    const { version, appVersion } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
    assert.deepEqual({ version, appVersion }, { version: packageJson.version, appVersion: packageJson.version });
  });

  it('tell of every value, in the words of values.yaml', async () => {
    const readme = await readFile(join(CHART, 'README.md'), 'utf8');
    const table = await chartValuesTable();
    assert.ok(readme.includes(table), `its README should have\n${table}`);
    for (const row of table.split('\n')) assert.doesNotMatch(row, /`\s+\|\s+\|$/, 'a value without words');
  });

  it('have a schema of the values that there are, and of no others', async () => {
    const [values, schema] = await Promise.all(
      ['values.yaml', 'values.schema.json'].map(async (name) => parse(await readFile(join(CHART, name), 'utf8'))),
    );
    const { global: _ofHelm, ...known } = schema.properties;
    assert.deepEqual(Object.keys(known).toSorted(), Object.keys(values).toSorted());
    for (const [name, { properties }] of Object.entries<{ properties?: object }>(known)) {
      if (properties) assert.deepEqual(Object.keys(properties).toSorted(), Object.keys(values[name]).toSorted(), name);
    }
  });
});

/** Only the chart has it, for its uninstall: without the chart, it goes with the namespace of the manifest. */
function emptyIdentity(namespace: string): InstalledObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: IDENTITY_SECRET, namespace, labels: LABELS } };
}

function byKey(objects: readonly InstalledObject[]): Record<string, InstalledObject> {
  const entries = objects.map((object): [string, InstalledObject] => {
    const { namespace = '', name } = object.metadata;
    return [`${object.apiVersion} ${object.kind} ${namespace}/${name}`, object];
  });
  assert.equal(new Set(entries.map(([key]) => key)).size, entries.length, 'each once');
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
