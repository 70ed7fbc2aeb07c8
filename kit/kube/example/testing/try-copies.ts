import assert from 'node:assert/strict';
import { createMetrics } from '#kit/telemetry/metrics';
import { PATIENCE_MS } from '#testing/patience';
import { CORE, type KubeClient } from '../../index.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { COPIES_ANNOTATION, runCopies } from '../copies.ts';

/** Runs the example and checks its behaviour: more copies, fewer, one that was deleted from outside, a stop. */
export async function tryCopies(client: KubeClient, namespace: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const place = { resource: CORE.configMaps, namespace };
  const stop = new AbortController();
  const metrics = createMetrics();
  const running = runCopies({ client, namespace, metrics }, stop.signal);
  const copies = async (): Promise<readonly string[]> => {
    const { items } = await client.list(place, { labelSelector: 'example.org/copy' }, signal);
    return items.map(({ metadata }) => metadata.name ?? '');
  };
  const ask = (count: number) =>
    ({ type: 'merge', patch: { metadata: { annotations: { [COPIES_ANNOTATION]: `${count}` } } } }) as const;

  const original = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'original' }, data: { a: '1' } };
  await client.create(place, original, {}, signal);
  for (const count of [5, 2, 4]) {
    await client.patch({ ...place, name: 'original' }, ask(count), {}, signal);
    await waitFor(async () => assert.equal((await copies()).length, count), signal);
  }
  const [one = ''] = await copies();
  await client.delete({ ...place, name: one }, {}, signal);
  await waitFor(async () => {
    const names = await copies();
    assert.ok(names.length === 4 && !names.includes(one));
  }, signal);
  assert.match(
    await metrics.text(),
    /^controller_runtime_reconcile_total\{controller="copies",result="success"\} \d+$/m,
  );
  stop.abort();
  await running;
  const lease = await client.get<LeaseView>({ resource: CORE.leases, namespace, name: 'copies' }, signal);
  assert.equal(lease.spec.holderIdentity, undefined, 'the lease is released');
}

interface LeaseView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: { readonly holderIdentity?: string };
}
