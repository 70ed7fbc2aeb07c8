import { LOCALHOST_CERTIFICATE as cert, LOCALHOST_KEY as key } from '../../http/testing/localhost-certificate.ts';
import { createKubeClient, type KubeClientOptions } from '../client/create-kube-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { FakeApiServer, type FakeApiServerOptions } from './fake-api-server.ts';

/** The protocols between client and server. */
export const PROTOCOLS = {
  'HTTP/2': { tls: { cert, key } },
  'HTTP/1.1 over TLS': { tls: { cert, key, http2: false } },
  'plain HTTP/1.1': {},
} as const satisfies Record<string, FakeApiServerOptions>;

export interface FakePair {
  readonly fake: FakeApiServer;
  readonly client: KubeClient;
}

/** A fake and a client for it, removed after the test. */
export async function fakeClient(
  t: { after(fn: () => Promise<void>): void },
  server: FakeApiServerOptions = {},
  options: Partial<KubeClientOptions> = {},
): Promise<FakePair> {
  const fake = await FakeApiServer.start(server);
  const client = createKubeClient({ config: fake.config, ...options });
  t.after(async () => {
    await client.close();
    await fake.close();
  });
  return { fake, client };
}
