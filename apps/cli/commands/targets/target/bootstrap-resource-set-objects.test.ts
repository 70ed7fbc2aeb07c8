import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { agentObjects } from '#runtime/install/agent-objects';
import { anInstall } from '#runtime/install/testing/installs';
import { type Io, UsageError } from '../../../command.ts';
import { bootstrapSet } from './bootstrap-resource-set.ts';
import { bootstrapResourceSet } from './bootstrap-resource-set-objects.ts';

suite('the resource set that makes targets of clusters', () => {
  const agent = agentObjects(anInstall({ target: undefined, token: 'fsb_many' }));
  const [secret, set] = bootstrapResourceSet({
    name: 'agents',
    namespace: 'fleet',
    selector: { fleet: 'edge' },
    objects: agent,
  });

  assert.ok(secret);
  const { 'agent.yaml': text = '' } = secret['stringData'] as Record<string, string>;

  test('is a Secret with all that an agent needs, as Cluster API reads it', () => {
    assert.equal(secret['type'], 'addons.cluster.x-k8s.io/resource-set');
    const documents = parseAllDocuments(text).map((document): unknown => document.toJS());
    assert.deepEqual(documents, JSON.parse(JSON.stringify(agent)));
  });

  test('is the same for all clusters: nobody is named, the token is there', () => {
    assert.ok(text.includes('fsb_many'));
    assert.ok(!text.includes('FLEETSHIFT_TARGET'));
  });

  test('is applied once to each cluster with the labels', () => {
    assert.deepEqual(set?.metadata, secret.metadata);
    assert.deepEqual(set?.['spec'], {
      strategy: 'ApplyOnce',
      clusterSelector: { matchLabels: { fleet: 'edge' } },
      resources: [{ kind: 'Secret', name: 'agents' }],
    });
  });
});

suite('words that are refused before anything is made', () => {
  const io: Io = { out: () => {}, err: () => {}, errIsTerminal: false, environment: {} };
  for (const { why, args, says } of [
    { why: 'no name', args: [], says: /NAME is missing/ },
    { why: 'no selector, which would match nothing', args: ['agents'], says: /--selector is required/ },
    {
      why: 'a kubeconfig for nothing',
      args: ['agents', '--selector', 'a=b', '--kubeconfig', 'x'],
      says: /require --apply/,
    },
    {
      why: 'namespaces that mean nothing',
      args: ['agents', '--selector', 'a=b', '--namespaces', 'x'],
      says: /--namespaces requires --rbac namespaced/,
    },
  ]) {
    test(why, async (t) => {
      await assert.rejects(
        bootstrapSet(args, io, t.signal),
        (error) => error instanceof UsageError && says.test(error.message),
      );
    });
  }
});
