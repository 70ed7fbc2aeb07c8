import type { TestContext } from 'node:test';
import type { TestCluster } from '../test-cluster.ts';

/** Runs `kubectl port-forward` for the duration of the test; returns the port on 127.0.0.1. */
export async function portForward(t: TestContext, cluster: TestCluster, args: readonly string[]): Promise<number> {
  const ending = new AbortController();
  const found = Promise.withResolvers<number>();
  const onStdout = (text: string): void => {
    const port = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port) found.resolve(Number(port));
  };
  const command = ['port-forward', '--address=127.0.0.1', ...args];
  const forwarding = cluster.kubectl(command, { onStdout, signal: ending.signal });
  forwarding.then(({ stderr }) => found.reject(new Error(stderr)), found.reject);
  t.after(async () => {
    ending.abort();
    await forwarding;
  });
  return await found.promise;
}
