import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { createKubeClient, type KubeObject, type Resource } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import { keptCertificate, tellAuthority } from './kept-certificate.ts';

const NOW = Date.UTC(2030, 0, 1);
const CONFIGURATIONS = ['Mutating', 'Validating'].map(
  (kind): Resource => ({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: `${kind.toLowerCase()}webhookconfigurations`,
    kind: `${kind}WebhookConfiguration`,
    namespaced: false,
  }),
);

interface Configuration extends KubeObject {
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

async function stage(t: TestContext) {
  const server = await FakeApiServer.start({ resources: CONFIGURATIONS });
  const client = createKubeClient({ config: server.config });
  t.after(async () => {
    await client.close();
    await server.close();
  });
  const names = ['crs.default.svc'];
  const options = { client, namespace: 'default', name: 'certificate', names, configuration: 'crs' };
  return { server, client, options };
}

suite('the certificate in its Secret', () => {
  test('is one for all processes that start at once', async (t) => {
    const { options } = await stage(t);
    const all = await Promise.all([1, 2, 3].map(async () => await keptCertificate(options, NOW, t.signal)));
    assert.equal(new Set(all.map((one) => one['tls.crt'])).size, 1);
  });

  test('is renewed for all, under the same authority', async (t) => {
    const { options } = await stage(t);
    const first = await keptCertificate(options, NOW, t.signal);
    const later = NOW + 70 * 86_400_000;
    const all = await Promise.all([1, 2].map(async () => await keptCertificate(options, later, t.signal)));
    assert.equal(new Set(all.map((one) => one['tls.crt'])).size, 1);
    assert.notEqual(all[0]?.['tls.crt'], first['tls.crt']);
    assert.equal(all[0]?.['ca.crt'], first['ca.crt']);
  });

  test('its authority is told to each webhook that does not have it, once', async (t) => {
    const { server, client, options } = await stage(t);
    const [mutating] = CONFIGURATIONS;
    assert.ok(mutating);
    assert.equal(await tellAuthority(options, 'ca', t.signal), false, 'there is none to tell');
    server.put<Configuration>(mutating, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: mutating.kind,
      metadata: { name: 'crs' },
      webhooks: [
        { name: 'a', clientConfig: {} },
        { name: 'b', clientConfig: { caBundle: 'b2xk' } },
      ],
    });
    assert.equal(await tellAuthority(options, 'ca', t.signal), true);
    const told = await client.get<Configuration>({ resource: mutating, name: 'crs' }, t.signal);
    assert.deepEqual(
      told.webhooks.map(({ clientConfig }) => clientConfig.caBundle),
      ['Y2E=', 'Y2E='],
    );
    assert.equal(await tellAuthority(options, 'ca', t.signal), false);
  });
});
