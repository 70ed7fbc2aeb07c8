import type { DeleteOptions } from '../../client/kube-client.ts';
import { discoveryDocument } from './discovery.ts';
import type { FakeRequest } from './faults.ts';
import type { Stored } from './object-rules.ts';
import { Paging } from './paging.ts';
import { jsonPatch, mergePatch } from './patches.ts';
import { badRequest, notFound, Refused } from './refused.ts';
import type { FakeResource } from './resources.ts';
import { selecting } from './selectors.ts';
import { FakeStore, type Place, type Spot } from './store.ts';
import type { WatchRequest } from './watching.ts';

export interface ApiAnswer {
  readonly httpStatus: number;
  readonly body: object;
}

interface Route extends Place {
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** The API without connections: a request in, a response out. The server keeps watches open. */
export class FakeApi {
  readonly store = new FakeStore();
  readonly paging = new Paging(this.store);
  readonly #resources: FakeResource[];
  /** Serve discovery as one document for all groups, like servers since 1.27. */
  aggregatedDiscovery = true;

  constructor(resources: readonly FakeResource[]) {
    this.#resources = [...resources];
  }

  serve(resource: FakeResource): void {
    this.#resources.push(resource);
  }

  watchOf(request: FakeRequest): WatchRequest | undefined {
    if (!request.watch) return undefined;
    const { resource, namespace } = this.#route(request.path);
    return {
      place: { resource, namespace },
      matches: selectorOf(request.query),
      version: request.query.get('resourceVersion') ?? '',
    };
  }

  answer(request: FakeRequest, body: unknown): ApiAnswer {
    const { method, path } = request;
    const document = method === 'GET' ? this.#document(request) : undefined;
    if (document) return { httpStatus: 200, body: document };
    const route = this.#route(path);
    if (route.name === undefined) return this.#collection(request, route, body);
    return this.#object(request, { ...route, name: route.name }, body);
  }

  #document({ path, headers }: FakeRequest): object | undefined {
    if (path === '/version') return { major: '1', minor: '36', gitVersion: 'v1.36.0-fake' };
    if (path === '/openapi/v3') return { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=0' } } };
    if (path === '/openapi/v3/api/v1') return { openapi: '3.0.0', info: { title: 'fake', version: 'v1' }, paths: {} };
    return discoveryDocument(path, this.aggregatedDiscovery ? String(headers['accept']) : '', this.#resources);
  }

  #collection(request: FakeRequest, place: Place, body: unknown): ApiAnswer {
    const { method, query } = request;
    const matches = selectorOf(query);
    if (method === 'GET') {
      const version = query.get('resourceVersion') ?? '';
      const [limit, token] = [Number(query.get('limit') ?? 0), query.get('continue') ?? ''];
      return { httpStatus: 200, body: this.paging.page({ place, matches, limit, token, version }) };
    }
    if (method === 'POST') {
      return { httpStatus: 201, body: this.store.create(place, asObject(body), { dryRun: isDryRun(request) }) };
    }
    if (method === 'DELETE') {
      for (const object of this.store.list(place).filter(matches)) {
        this.store.delete(
          { ...place, namespace: object.metadata.namespace, name: object.metadata.name ?? '' },
          deleteOptions(body),
        );
      }
      return { httpStatus: 200, body: { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
    }
    throw new Refused(405, 'MethodNotAllowed', `${method} is not allowed here`);
  }

  #object(request: FakeRequest, route: Route & Spot, body: unknown): ApiAnswer {
    const { subresource, resource } = route;
    if (subresource === 'eviction' && request.method === 'POST')
      return this.#delete(route, deleteOptions((body as { deleteOptions?: unknown }).deleteOptions));
    if (subresource === 'scale' && resource.scale) return this.#scale(request, route, body);
    if (subresource !== undefined && !(subresource === 'status' && resource.status)) throw notFound(request.path);
    const writing = { dryRun: isDryRun(request), subresource };
    switch (request.method) {
      case 'GET':
        return { httpStatus: 200, body: this.store.get(route) };
      case 'PUT':
        return { httpStatus: 200, body: this.store.update(route, () => asObject(body), writing) };
      case 'PATCH':
        return {
          httpStatus: 200,
          body: this.store.update(route, (before) => asObject(patched(request, before, body)), writing),
        };
      case 'DELETE':
        return this.#delete(route, deleteOptions(body));
      default:
        throw new Refused(405, 'MethodNotAllowed', `${request.method} is not allowed here`);
    }
  }

  #delete(spot: Spot, options: DeleteOptions): ApiAnswer {
    const left = this.store.delete(spot, options);
    return { httpStatus: 200, body: left ?? { kind: 'Status', apiVersion: 'v1', status: 'Success' } };
  }

  #scale(request: FakeRequest, spot: Spot, body: unknown): ApiAnswer {
    const scaleOf = ({ metadata, spec }: Stored): Stored => ({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata,
      spec: { replicas: (spec as { replicas?: number } | undefined)?.replicas ?? 1 },
    });
    if (request.method === 'GET') return { httpStatus: 200, body: scaleOf(this.store.get(spot)) };
    const change = (before: Stored): Stored => {
      const scale = (request.method === 'PUT' ? body : patched(request, scaleOf(before), body)) as Stored;
      const { replicas } = scale.spec as { replicas: number };
      const { resourceVersion } = scale.metadata;
      const metadata = resourceVersion === undefined ? before.metadata : { ...before.metadata, resourceVersion };
      return { ...before, metadata, spec: { ...(before.spec as object), replicas } };
    };
    return { httpStatus: 200, body: scaleOf(this.store.update(spot, change, { dryRun: isDryRun(request) })) };
  }

  #route(path: string): Route {
    const steps = path.split('/').slice(1).map(decodeURIComponent);
    const isCore = steps[0] === 'api';
    const [version, rest] = isCore ? [steps[1], steps.slice(2)] : [steps.slice(1, 3).join('/'), steps.slice(3)];
    const isNamespaced = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
    const [plural, name, subresource] = isNamespaced ? rest.slice(2) : rest;
    const resource = this.#resources.find(
      (one) => one.plural === plural && (one.group === '' ? one.version : `${one.group}/${one.version}`) === version,
    );
    if (!resource) throw new Refused(404, 'NotFound', 'the server could not find the requested resource');
    return { resource, namespace: isNamespaced ? rest[1] : undefined, name, subresource };
  }
}

function patched({ headers }: FakeRequest, before: Stored, body: unknown): unknown {
  const type = String(headers['content-type']);
  if (type === 'application/merge-patch+json') return mergePatch(before, body);
  if (type === 'application/json-patch+json') return jsonPatch(before, body);
  throw new Refused(415, 'UnsupportedMediaType', `the fake does not imitate ${type}: use a real API server`);
}

function selectorOf(query: URLSearchParams): (object: Stored) => boolean {
  return selecting(query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
}

function isDryRun({ query }: FakeRequest): boolean {
  return query.get('dryRun') === 'All';
}

function deleteOptions(body: unknown): DeleteOptions {
  const { dryRun, propagationPolicy, preconditions } = (body ?? {}) as {
    dryRun?: string[];
    propagationPolicy?: NonNullable<DeleteOptions['propagation']>;
    preconditions?: Pick<DeleteOptions, 'uid' | 'resourceVersion'>;
  };
  return {
    ...preconditions,
    dryRun: dryRun?.includes('All') ?? false,
    ...(propagationPolicy && { propagation: propagationPolicy }),
  };
}

function asObject(body: unknown): Stored {
  const object = body as Partial<Stored> | null;
  if (typeof object?.kind !== 'string' || typeof object.apiVersion !== 'string')
    throw badRequest('the body has no kind');
  return { ...object, metadata: object.metadata ?? {} } as Stored;
}
