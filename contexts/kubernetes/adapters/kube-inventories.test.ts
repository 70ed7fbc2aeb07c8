import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CORE, createKubeClient, type KubeClient, KubeError } from '#kit/kube';
import { FakeApiServer } from '#kit/kube/testing';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { KubeInventories } from './kube-inventories.ts';

const signal = new AbortController().signal;

function inventory(deployment: string, name: string): ApplySetInventory {
  const key = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name };
  return { deployment, seen: { revision: 1 }, entries: [{ key, origin: 'created', sent: 's' }] };
}

describe('the inventories of a cluster', () => {
  let server: FakeApiServer;
  let client: KubeClient;

  before(async () => {
    server = await FakeApiServer.start();
    client = createKubeClient({ config: server.config });
    for (const name of ['one', 'two', 'tenant']) {
      server.put(CORE.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    await new KubeInventories(client, 'one').save(inventory('d-1', 'a'), signal);
    await new KubeInventories(client, 'one').save(inventory('d-2', 'b'), signal);
    await new KubeInventories(client, 'two').save(inventory('d-1', 'c'), signal);
  });

  after(async () => {
    await client.close();
    await server.close();
  });

  async function others(from: KubeClient): Promise<string[]> {
    const { records } = await new KubeInventories(from, 'one').others('d-1', signal);
    return records.flatMap(({ entries }) => entries.map(({ key }) => key.name)).toSorted();
  }

  it('are all found but the own one, also those of the same deployment that another agent keeps', async () => {
    assert.deepEqual(await others(client), ['b', 'c']);
  });

  it('are those of the own namespace, where the others may not be read', async () => {
    const narrow: KubeClient = {
      ...client,
      list: async (ref, options, stop) => {
        if (ref.namespace === undefined) throw new KubeError('FORBIDDEN', 'list secrets');
        return await client.list(ref, options, stop);
      },
    };
    assert.deepEqual(await others(narrow), ['b']);
  });

  it('are read once for all who ask during a read, and never from before they asked', async () => {
    let lists = 0;
    const counting: KubeClient = {
      ...client,
      list: async (ref, options, stop) => {
        lists += 1;
        return await client.list(ref, options, stop);
      },
    };
    const store = new KubeInventories(counting, 'one');
    const asked = Array.from({ length: 10 }, async () => await store.others('d-1', signal));
    await Promise.all(asked);
    assert.equal(lists, 2);
    await store.others('d-1', signal);
    assert.equal(lists, 3);
  });

  it('are unreadable, and nothing worse, where a tenant wrote what is none', async () => {
    const head = (its: object): string => Buffer.from(JSON.stringify(its)).toString('base64');
    const secrets: Readonly<Record<string, Record<string, string>>> = {
      'd-7': { facts: head({ count: 4_000_000_000, digest: 'x' }), payload: '' },
      'd-8': { facts: 'none', payload: gzipSync('x'.repeat(100)).toString('base64') },
      'd-9': {},
    };
    for (const [id, data] of Object.entries(secrets)) {
      const metadata = {
        name: `fleetshift-inventory-${id}`,
        namespace: 'tenant',
        labels: { 'fleetshift.io/inventory': id },
      };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data };
      await client.create({ resource: CORE.secrets, namespace: 'tenant' }, secret, {}, signal);
    }
    const { corrupt } = await new KubeInventories(client, 'one').others('d-1', signal);
    assert.deepEqual(corrupt.toSorted(), ['d-7', 'd-8', 'd-9']);
    assert.deepEqual(await others(client), ['b', 'c']);
  });
});
