import { CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { applied, FIELD_MANAGER, LIST_CHUNK } from './orders.ts';
import { runProgram } from './run-program.ts';

await runProgram(async (kubeconfig) => {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const pathOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    touch: (namespace) => api.listNamespacedConfigMap({ namespace, limit: 1 }),
    list: async (namespace) => {
      let listed = 0;
      for (let token: string | undefined; ; ) {
        const page = await api.listNamespacedConfigMap({
          namespace,
          limit: LIST_CHUNK,
          ...(token ? { _continue: token } : {}),
        });
        listed += page.items.length;
        token = page.metadata?._continue;
        if (!token) return listed;
      }
    },
    watch: async (namespace, since, count) => {
      const done = Promise.withResolvers<void>();
      let seen = 0;
      const onEvent = (phase: string): void => {
        if (phase === 'ADDED') seen += 1;
        if (seen === count) done.resolve();
      };
      const query = { resourceVersion: since, allowWatchBookmarks: true };
      const stop = await new Watch(config).watch(pathOf(namespace), query, onEvent, (error) => {
        if (seen < count) done.reject(error);
      });
      await done.promise;
      stop.abort();
    },
    apply: async (namespace, index, turn) => {
      const body = applied(namespace, index, turn);
      const patch = { name: body.metadata.name, namespace, body, fieldManager: FIELD_MANAGER, force: true };
      await api.patchNamespacedConfigMap(patch, setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply));
    },
    cache: async (namespace, count) => {
      const list = () => api.listNamespacedConfigMap({ namespace });
      const informer = makeInformer(config, pathOf(namespace), list);
      await informer.start();
      if (informer.list().length !== count) throw new Error(`the cache has ${informer.list().length} of ${count}`);
    },
  };
});
