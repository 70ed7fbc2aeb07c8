import { clustersUnavailable, sharedCluster } from '#testing/clusters';
import { PATIENCE_MS } from '#testing/patience';
import { CORE } from './client/core-resources.ts';
import { createKubeClient } from './client/create-kube-client.ts';
import type { KubeClient } from './client/kube-client.ts';
import type { KubeObject, Resource } from './client/kube-object.ts';
import { parseKubeConfig } from './config/load-kube-config.ts';
import type { ContractServer } from './testing/contract/stage.ts';
import { kubeClientContract } from './testing/kube-client-contract.ts';
import { waitFor } from './testing/wait-for.ts';

kubeClientContract({ name: 'a real API server', open: openReal, unavailable: await clustersUnavailable('apiserver') });

async function openReal(): Promise<ContractServer> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const cluster = await sharedCluster('apiserver', signal);
  const client = createKubeClient({ config: parseKubeConfig(cluster.kubeconfig()) });
  return {
    client,
    namespace: async () => {
      const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'contract-' } };
      const made = await client.create({ resource: CORE.namespaces }, namespace, {}, AbortSignal.timeout(PATIENCE_MS));
      return made.metadata.name ?? '';
    },
    serve: (resource) => serveCustom(client, resource),
    close: () => client.close(),
  };
}

async function serveCustom(client: KubeClient, { group, version, plural, kind }: Resource): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const names = { plural, kind, singular: kind.toLowerCase() };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = [{ name: version, served: true, storage: true, schema }];
  const name = `${plural}.${group}`;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group, scope: 'Namespaced', names, versions },
  };
  await client.create({ resource: CORE.customResourceDefinitions }, definition, {}, signal);
  const path = `/apis/${group}/${version}/${plural}`;
  await waitFor(() => client.request({ method: 'GET', path }, signal), signal);
}
