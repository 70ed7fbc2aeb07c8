import { created, defineRoute, mutate, NoContent, noContent, ok, type Route } from '#kit/http';
import type { Reader, Storage, Transaction } from '#kit/storage';
import { PutTargetKubeconfigSchema, TargetKubeconfigSchema, TargetParamsSchema } from '#protocol/api';
import type { ClusterView, UnitOfWork } from '../application/ports.ts';
import type { ProxiedClusterService } from '../application/proxied-cluster-service.ts';
import { kubeconfigResource } from './kubeconfig-resource.ts';

export interface KubeconfigRoutesDeps {
  readonly storage: Storage;
  readonly service: ProxiedClusterService;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly view: (reader: Reader) => ClusterView;
  /** Called after a commit that changes which clusters are served. */
  readonly changed: () => void;
}

const PATH = '/v1/targets/{target}/kubeconfig';
const tags = ['targets'];

/** The kubeconfig of a target. It can be written but never read. */
export function kubeconfigRoutes(deps: KubeconfigRoutesDeps): Route[] {
  return [putRoute(deps), getRoute(deps), deleteRoute(deps)];
}

function putRoute({ storage, service, unit, view, changed }: KubeconfigRoutesDeps): Route {
  return defineRoute({
    method: 'PUT',
    path: PATH,
    operationId: 'putTargetKubeconfig',
    summary: 'Store the kubeconfig of a target',
    description:
      'The platform serves the cluster with this kubeconfig, until an agent in the cluster takes over. It is stored encrypted and never returned. It must not reference files or programs.',
    tags,
    permission: 'kubeconfigs.update',
    schema: {
      params: TargetParamsSchema,
      body: PutTargetKubeconfigSchema,
      responses: { 200: TargetKubeconfigSchema, 201: TargetKubeconfigSchema },
    },
    handler: async (request) => {
      const { body, signal } = request;
      await storage.read((reader) => service.checkTarget(view(reader), request.params.target, signal), signal);
      const kubeconfig = await service.read(body.kubeconfig, body.context, signal);
      const answer = await mutate(request, storage, async (tx) => {
        let isNew = true;
        const before = (known: Parameters<typeof kubeconfigResource>[0]): void => {
          isNew = false;
          request.changes(kubeconfigResource(known));
        };
        const { target } = request.params;
        const command = { target, kubeconfig, now: request.time, before };
        const resource = kubeconfigResource(await service.put(unit(tx), command, request.signal));
        return isNew ? created(resource, `/v1/targets/${target}/kubeconfig`) : ok(resource);
      });
      changed();
      return answer;
    },
  });
}

function getRoute({ storage, service, view }: KubeconfigRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: PATH,
    operationId: 'getTargetKubeconfig',
    summary: 'Get the status of the kubeconfig of a target',
    description: 'The API server and the state of the cluster, without credentials.',
    tags,
    permission: 'kubeconfigs.read',
    schema: { params: TargetParamsSchema, responses: { 200: TargetKubeconfigSchema } },
    handler: async ({ params, signal }) =>
      await storage.read(
        async (reader) => ok(kubeconfigResource(await service.get(view(reader), params.target, signal))),
        signal,
      ),
  });
}

function deleteRoute({ storage, service, unit, changed }: KubeconfigRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: PATH,
    operationId: 'deleteTargetKubeconfig',
    summary: 'Delete the kubeconfig of a target',
    description: 'The platform stops serving the cluster. Workloads in it are not touched.',
    tags,
    permission: 'kubeconfigs.delete',
    schema: { params: TargetParamsSchema, responses: { 204: NoContent } },
    handler: async (request) => {
      const answer = await mutate(request, storage, async (tx) => {
        const before = (known: Parameters<typeof kubeconfigResource>[0]): void =>
          request.changes(kubeconfigResource(known));
        const command = { target: request.params.target, now: request.time, before };
        await service.remove(unit(tx), command, request.signal);
        return noContent();
      });
      changed();
      return answer;
    },
  });
}
