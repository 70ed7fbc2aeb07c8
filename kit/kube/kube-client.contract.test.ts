import { LOCALHOST_CERTIFICATE as cert, LOCALHOST_KEY as key } from '../http/testing/localhost-certificate.ts';
import { CORE } from './client/core-resources.ts';
import { createKubeClient } from './client/create-kube-client.ts';
import type { ContractServer } from './testing/contract/stage.ts';
import { FakeApiServer, type FakeApiServerOptions } from './testing/fake-api-server.ts';
import { kubeClientContract } from './testing/kube-client-contract.ts';

const SERVERS: Readonly<Record<string, FakeApiServerOptions>> = {
  'the fake, HTTP/2': { tls: { cert, key } },
  'the fake, HTTP/1.1 over TLS': { tls: { cert, key, http2: false } },
  'the fake, plain HTTP': {},
};

for (const [name, options] of Object.entries(SERVERS)) {
  kubeClientContract({
    name,
    open: () => openFake(options),
    skips: {
      'applies, and keeps to its own fields': 'a fake of server-side apply would be wrong in what matters',
      'merges lists by key in a strategic patch': 'the fake has no schemas to know the keys of lists by',
      'refuses unknown fields unless told to': 'the fake has no schemas to know fields by',
    },
  });
}

async function openFake(options: FakeApiServerOptions): Promise<ContractServer> {
  const fake = await FakeApiServer.start(options);
  const client = createKubeClient({ config: fake.config, limits: { maxStreams: 200 } });
  let namespaces = 0;
  return {
    client,
    namespace: async () => {
      namespaces += 1;
      const name = `contract-${namespaces}`;
      fake.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    serve: async (resource) => fake.api.serve(resource),
    close: async () => {
      await client.close();
      await fake.close();
    },
  };
}
