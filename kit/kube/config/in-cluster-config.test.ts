import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { inClusterConfig } from './in-cluster-config.ts';

describe('inClusterConfig', () => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-service-account-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['namespace', 'token', 'ca.crt']) writeFileSync(join(folder, name), `the ${name}\n`);

  it('is the API server of the Pod, as its service account', async () => {
    const environment = {
      KUBERNETES_SERVICE_HOST: 'fd00::1',
      KUBERNETES_SERVICE_PORT: '6443',
      SERVICE_ACCOUNT_FOLDER: folder,
    };
    assert.deepEqual(await inClusterConfig({ environment }, signal), {
      server: 'https://[fd00::1]:6443/',
      namespace: 'the namespace',
      ca: { kind: 'file', path: join(folder, 'ca.crt') },
      identity: { token: { kind: 'file', path: join(folder, 'token') } },
    });
  });

  it('is not there outside of a cluster', async () => {
    const at = (environment: Record<string, string>) => inClusterConfig({ environment }, signal);
    const host = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    await assert.rejects(at({ SERVICE_ACCOUNT_FOLDER: folder }), { code: 'CONFIG_NOT_FOUND' });
    await assert.rejects(at({ ...host, SERVICE_ACCOUNT_FOLDER: join(folder, 'no') }), { code: 'CONFIG_NOT_FOUND' });
    await assert.rejects(
      at(host),
      { code: 'CONFIG_NOT_FOUND' },
      'where kubelets mount it there is none on this machine',
    );
  });
});
