import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Container } from './pod.ts';
import { containerEnvironment, expandVariables } from './pod-environment.ts';

const SOURCES = {
  secret: async (name: string) => (name === 'there' ? new Map([['key', Buffer.from('s')]]) : undefined),
  configMap: async (name: string) => (name === 'there' ? new Map([['key', Buffer.from('c')]]) : undefined),
  token: async () => 'token',
};
const POD = {
  metadata: { name: 'web-1', namespace: 'shop', uid: 'u', labels: { 'app.io/name': 'web' } },
  spec: { containers: [] },
};

describe('containerEnvironment', () => {
  const environment = (container: Partial<Container>): Promise<Record<string, string>> =>
    containerEnvironment(
      { pod: POD, podIp: '127.1.2.3', sources: SOURCES },
      { name: 'main', image: 'fleetshift', ...container },
      new AbortController().signal,
    );

  it('takes sources first, and variables over them, which may use those before', async () => {
    const envFrom = [{ prefix: 'P_', secretRef: { name: 'there' } }, { configMapRef: { name: 'there' } }];
    const env = [
      { name: 'key', value: 'own' },
      { name: 'BOTH', value: '$(P_key)-$(key)-$(LATER)' },
      { name: 'LATER', value: 'x' },
    ];
    const want = { P_key: 's', key: 'own', BOTH: 's-own-$(LATER)', LATER: 'x' };
    assert.deepEqual(await environment({ envFrom, env }), want);
  });

  it('reads fields of the Pod', async () => {
    const field = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });
    const env = [field('IP', 'status.podIP'), field('APP', "metadata.labels['app.io/name']")] as Container['env'] &
      object;
    assert.deepEqual(await environment({ env }), { IP: '127.1.2.3', APP: 'web' });
    await assert.rejects(
      environment({ env: [field('X', 'spec.nothing')] as Container['env'] & object }),
      /spec\.nothing/,
    );
  });

  for (const kind of ['secretKeyRef', 'configMapKeyRef'] as const) {
    it(`does not start without what a ${kind} names, unless that is optional`, async () => {
      for (const ref of [
        { name: 'there', key: 'missing' },
        { name: 'missing', key: 'key' },
      ]) {
        await assert.rejects(environment({ env: [{ name: 'X', valueFrom: { [kind]: ref } }] }), /is not there/);
        const optional = { ...ref, optional: true };
        assert.deepEqual(await environment({ env: [{ name: 'X', valueFrom: { [kind]: optional } }] }), {});
      }
    });
  }
});

describe('expandVariables', () => {
  const rows = [
    { why: 'a known one', text: 'a$(A)b', want: 'a1b' },
    { why: 'an unknown one stays', text: '$(B)', want: '$(B)' },
    { why: 'an escaped one', text: '$$(A)', want: '$(A)' },
    { why: 'what a shell would expand stays', text: '$A ${A}', want: '$A ${A}' },
  ];
  for (const { why, text, want } of rows) it(why, () => assert.equal(expandVariables(text, { A: '1' }), want));
});
