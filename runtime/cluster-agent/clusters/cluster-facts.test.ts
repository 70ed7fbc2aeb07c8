import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type KubeClient, KubeError } from '#kit/kube';
import { clusterFacts } from './cluster-facts.ts';

const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';

function node(labels: Record<string, string>, providerID?: string, architecture = 'arm64'): object {
  return { metadata: { name: 'n', labels }, spec: { providerID }, status: { nodeInfo: { architecture } } };
}

function clusterOf(nodes: readonly object[] | KubeError): KubeClient {
  return {
    request: async () => ({ gitVersion: 'v1.36.3+k3s1', platform: 'linux/amd64' }),
    list: async () => {
      if (nodes instanceof KubeError) throw nodes;
      return { items: nodes, metadata: {} };
    },
  } as unknown as KubeClient;
}

suite('what can be seen of a cluster', () => {
  for (const { why, nodes, want } of [
    {
      why: 'what all nodes say',
      nodes: [
        node({ [REGION]: 'eu-1', [ZONE]: 'eu-1a' }, 'aws:///eu-1a/i-1'),
        node({ [REGION]: 'eu-1', [ZONE]: 'eu-1b' }, 'aws:///eu-1b/i-2'),
      ],
      want: { arch: 'arm64', platform: 'aws', region: 'eu-1' },
    },
    {
      why: 'nothing where they differ, or are of nobody',
      nodes: [node({}, undefined, 'arm64'), node({ [REGION]: 'x' }, 'no provider', 'amd64')],
      want: { arch: 'amd64' },
    },
    { why: 'the server alone, where there are none', nodes: [], want: { arch: 'amd64' } },
    {
      why: 'the server alone, where they may not be looked at',
      nodes: new KubeError('FORBIDDEN', 'list nodes'),
      want: { arch: 'amd64' },
    },
    {
      why: 'what makes a label',
      nodes: [node({ [REGION]: '_Europe/West_' }, 'azure://x')],
      want: { arch: 'arm64', platform: 'azure', region: 'Europe-West' },
    },
  ]) {
    test(why, async (t) => {
      const { version, labels } = await clusterFacts(clusterOf(nodes), t.signal);
      assert.equal(version, 'v1.36.3+k3s1');
      assert.deepEqual(labels, { version: 'v1.36.3-k3s1', ...want });
    });
  }

  test('a cluster that does not answer is no cluster without nodes', async (t) => {
    const away = new KubeError('SERVICE_UNAVAILABLE', 'list nodes');
    await assert.rejects(clusterFacts(clusterOf(away), t.signal), away);
  });
});
