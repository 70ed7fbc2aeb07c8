import assert from 'node:assert/strict';
import { CORE } from '../../client/core-resources.ts';
import type { KubeObject } from '../../client/kube-object.ts';
import { isKubeError } from '../../kube-error.ts';
import { deployment, type Stage } from './stage.ts';

type WithStatus = KubeObject & {
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly observedGeneration?: number };
};
type Scale = KubeObject & { readonly spec: { readonly replicas: number } };

export function subresourcesContract(stage: Stage): void {
  const made = async (signal: AbortSignal) => {
    const ref = { resource: CORE.deployments, namespace: await stage.server.namespace(), name: 'web' };
    const object = await stage.client.create<WithStatus>(ref, deployment('web', 2), {}, signal);
    return { ref, object };
  };

  stage.it('writes a status by itself, and nothing else with it', async (signal) => {
    const { ref, object } = await made(signal);
    const changed: WithStatus = { ...object, spec: { ...object.spec, replicas: 9 }, status: { observedGeneration: 1 } };
    const after = await stage.client.replace<WithStatus>(ref, changed, { subresource: 'status' }, signal);
    assert.equal(after.status?.observedGeneration, 1);
    assert.equal(after.spec.replicas, 2);
    assert.equal(after.metadata.generation, 1);
  });

  stage.it('writes no status with the object', async (signal) => {
    const { ref, object } = await made(signal);
    const changed: WithStatus = { ...object, spec: { ...object.spec, replicas: 3 }, status: { observedGeneration: 7 } };
    const after = await stage.client.replace<WithStatus>(ref, changed, {}, signal);
    assert.equal(after.spec.replicas, 3);
    assert.equal(after.status?.observedGeneration, undefined);
    assert.equal(after.metadata.generation, 2);
  });

  stage.it('patches a status', async (signal) => {
    const { ref } = await made(signal);
    const patch = { type: 'merge', patch: { status: { observedGeneration: 1 } } } as const;
    const after = await stage.client.patch<WithStatus>(ref, patch, { subresource: 'status' }, signal);
    assert.equal(after.status?.observedGeneration, 1);
    const read = await stage.client.getSubresource<WithStatus>(ref, 'status', signal);
    assert.equal(read.status?.observedGeneration, 1);
  });

  stage.it('scales', async (signal) => {
    const { ref } = await made(signal);
    const scale = await stage.client.getSubresource<Scale>(ref, 'scale', signal);
    assert.deepEqual([scale.kind, scale.spec.replicas], ['Scale', 2]);
    await stage.client.replace<Scale>(ref, { ...scale, spec: { replicas: 5 } }, { subresource: 'scale' }, signal);
    assert.equal((await stage.client.get<WithStatus>(ref, signal)).spec.replicas, 5);
    await stage.client.patch(
      ref,
      { type: 'merge', patch: { spec: { replicas: 0 } } },
      { subresource: 'scale' },
      signal,
    );
    assert.equal((await stage.client.get<WithStatus>(ref, signal)).spec.replicas, 0);
  });

  stage.it('evicts a Pod', async (signal) => {
    const namespace = await stage.server.namespace();
    await ensureServiceAccount(stage, namespace, signal);
    const ref = { resource: CORE.pods, namespace, name: 'one' };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'main', image: 'none' }] },
    };
    await stage.client.create(ref, pod, {}, signal);
    await stage.client.evict(ref, {}, signal);
    await assert.rejects(stage.client.get(ref, signal), { code: 'NOT_FOUND' });
    await assert.rejects(stage.client.evict(ref, {}, signal), { code: 'NOT_FOUND' });
  });
}

/** Without controllers the default service account does not exist, and Pods are refused without it. */
async function ensureServiceAccount(stage: Stage, namespace: string, signal: AbortSignal): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  try {
    await stage.client.create({ resource: CORE.serviceAccounts, namespace }, account, {}, signal);
  } catch (error) {
    if (!isKubeError(error, 'ALREADY_EXISTS')) throw error;
  }
}
