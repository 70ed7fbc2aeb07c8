import { readFile } from 'node:fs/promises';
import { CORE, createKubeClient, listAll, parseKubeConfig } from '#kit/kube';
import { InformerFactory } from '#kit/kube/cache';
import { applied, FIELD_MANAGER, LIST_CHUNK } from './orders.ts';
import { runProgram } from './run-program.ts';

const signal = AbortSignal.timeout(10 * 60_000);
const resource = CORE.configMaps;

await runProgram(async (kubeconfig) => {
  const client = createKubeClient({ config: parseKubeConfig(await readFile(kubeconfig, 'utf8')) });
  return {
    touch: (namespace) => client.list({ resource, namespace }, { limit: 1 }, signal),
    list: async (namespace) => {
      const { items } = await listAll(client, { resource, namespace }, { chunk: LIST_CHUNK }, signal);
      return items.length;
    },
    watch: async (namespace, since, count) => {
      let seen = 0;
      for await (const event of client.watch({ resource, namespace }, { resourceVersion: since }, signal)) {
        if (event.type === 'ADDED') seen += 1;
        if (seen === count) return;
      }
    },
    apply: async (namespace, index, turn) => {
      const object = applied(namespace, index, turn);
      const ref = { resource, namespace, name: object.metadata.name };
      await client.apply(ref, object, { fieldManager: FIELD_MANAGER, force: true }, signal);
    },
    cache: async (namespace, count) => {
      const informers = new InformerFactory({ client });
      const { cache } = informers.informer({ resource, namespace });
      informers.run(signal).catch(() => undefined);
      await informers.synced(signal);
      if (cache.list().length !== count) throw new Error(`the cache has ${cache.list().length} of ${count}`);
    },
  };
});
